import { pack, unpack } from 'msgpackr';
import { WebSocket } from 'ws';
import { until } from './real-server.ts';

/** A frame of live hearing, as it goes into and comes out of MessagePack. */
export type ListeningFrame = Record<string, unknown>;

/** A client of `WS /v1/asr/live` that keeps everything it is sent. */
export async function openListening(
  server: { readonly url: string; readonly key: string },
  headers: Record<string, string> = {},
) {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/v1/asr/live`, {
    headers: { authorization: `Bearer ${server.key}`, ...headers },
  });
  const received: ListeningFrame[] = [];
  let closed: { code: number; reason: string } | undefined;
  socket.on('message', (data) => received.push(unpack(data as Buffer) as ListeningFrame));
  socket.on('close', (code, reason) => {
    closed = { code, reason: reason.toString() };
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return {
    received,
    socket,
    send: (...frames: ListeningFrame[]) => {
      for (const frame of frames) socket.send(pack(frame));
    },
    heard: (event: string) => received.filter((frame) => frame.event === event),
    untilClosed: async () => {
      await until('the socket is closed', () => closed !== undefined);
      return closed!;
    },
  };
}
