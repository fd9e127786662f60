import { ConnectionError, LiveSessionError } from './errors.ts';
import { type Packable, pack, unpack } from './msgpack.ts';
import { openSocket } from './socket.ts';
import type { Transport } from './transport.ts';

/** What the server sends in a session. */
export interface LiveFrame {
  readonly event: string;
  readonly audio?: Uint8Array;
  readonly reason?: string;
  readonly message?: string;
  readonly code?: string;
}

/** Sending waits while so much is still on its way. */
const SEND_AHEAD_BYTES = 256 * 1024;
const SEND_POLL_MS = 20;

/**
 * One live session: opens it with `request`, sends the events as they come, and gives the frames of the server until it
 * has finished. Throws when it ends in any other way; leaving the loop early stops the server.
 */
export async function* runLiveSession(
  transport: Transport,
  session: {
    readonly path: string;
    readonly model: string | undefined;
    readonly request: Packable;
    readonly events: AsyncIterable<Packable>;
    readonly signal: AbortSignal | undefined;
  },
): AsyncGenerator<LiveFrame, void> {
  const socket = await openSocket(transport, session.path, session);
  let failure: unknown;
  const send = async () => {
    socket.send(pack({ event: 'start', request: session.request }));
    for await (const event of session.events) {
      while (socket.bufferedBytes > SEND_AHEAD_BYTES)
        await new Promise((wake) => setTimeout(wake, SEND_POLL_MS));
      socket.send(pack(event));
    }
    socket.send(pack({ event: 'stop' }));
  };
  try {
    const sending = send().catch((error: unknown) => {
      failure = error;
      socket.close();
    });
    for await (const message of socket.messages()) {
      const frame = unpack(message) as LiveFrame;
      if (frame.event !== 'finish') {
        yield frame;
        continue;
      }
      if (frame.reason === 'error') throw new LiveSessionError(frame.message, frame.code);
      await sending;
      return;
    }
    throw failure ?? new ConnectionError('The server closed the socket before it had finished.');
  } finally {
    socket.close();
  }
}
