import { pack, unpack } from 'msgpackr';
import { WebSocket } from 'ws';
import { until } from '../servers/real-server.ts';

/** A decoded frame of live transcription. */
export type TranscriptionFrame = Record<string, unknown>;

/** Opens a client of `WS /v1/asr/live` that records every frame. */
export async function openLiveTranscription(
  server: { readonly url: string; readonly key: string },
  headers: Record<string, string> = {},
) {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/v1/asr/live`, {
    headers: { authorization: `Bearer ${server.key}`, ...headers },
  });
  const received: TranscriptionFrame[] = [];
  let closed: { code: number; reason: string } | undefined;
  socket.on('message', (data) => received.push(unpack(data as Buffer) as TranscriptionFrame));
  socket.on('close', (code, reason) => {
    closed = { code, reason: reason.toString() };
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return {
    received,
    socket,
    send: (...frames: TranscriptionFrame[]) => {
      for (const frame of frames) socket.send(pack(frame));
    },
    framesOf: (event: string) => received.filter((frame) => frame.event === event),
    untilClosed: async () => {
      await until('the socket is closed', () => closed !== undefined);
      return closed!;
    },
  };
}
