import { type Packable, pack, unpack } from './encoding/msgpack.ts';
import { ConnectionError, LiveSessionError } from './errors.ts';
import { openSocket } from './net/socket.ts';
import type { Transport } from './net/transport.ts';
import type { CallOptions, LiveTranscriptionEvent } from './types/index.ts';

/** A frame of the server in a live session of speech or transcription. */
export type LiveFrame =
  | { readonly event: 'audio'; readonly audio: Uint8Array }
  | Extract<LiveTranscriptionEvent, { readonly event: 'partial' }>
  | Extract<LiveTranscriptionEvent, { readonly event: 'segment' }>
  | { readonly event: 'error'; readonly error: string; readonly code: string }
  | { readonly event: 'finish'; readonly reason: 'stop' }
  | { readonly event: 'finish'; readonly reason: 'error'; readonly message?: string; readonly code?: string };

/** Buffered bytes above which sending waits. */
const BUFFERED_MAX_BYTES = 256 * 1024;
const SEND_POLL_MS = 20;

/**
 * Runs one live session: sends `request` and the events, and yields the frames of the server until `finish`. Throws
 * when the session ends in any other way. Leaving the loop early stops the server.
 */
export async function* runLiveSession(
  transport: Transport,
  session: {
    readonly path: string;
    readonly model: string | undefined;
    readonly request: Packable;
    readonly events: AsyncIterable<Packable>;
    readonly options: CallOptions;
  },
): AsyncGenerator<LiveFrame, void> {
  const { path, model, options } = session;
  const socket = await openSocket(transport, path, { ...options, model });
  let sendError: unknown;
  let errorCode: string | undefined;
  let isOver = false;
  const send = async () => {
    socket.send(pack({ event: 'start', request: session.request }));
    for await (const event of session.events) {
      while (!isOver && socket.bufferedBytes > BUFFERED_MAX_BYTES)
        await new Promise((wake) => setTimeout(wake, SEND_POLL_MS));
      if (isOver) return;
      socket.send(pack(event));
    }
    socket.send(pack({ event: 'stop' }));
  };
  try {
    const sending = send().catch((error: unknown) => {
      sendError = error;
      socket.close();
    });
    for await (const message of socket.messages()) {
      // The frames of the server are trusted.
      const frame = unpack(message) as LiveFrame;
      if (frame.event === 'error') errorCode = frame.code;
      if (frame.event !== 'finish') {
        yield frame;
        continue;
      }
      if (frame.reason === 'error') throw new LiveSessionError(frame.message, frame.code ?? errorCode);
      await sending;
      return;
    }
    throw sendError ?? new ConnectionError('The server closed the socket before the end of the session.');
  } finally {
    isOver = true;
    socket.close();
  }
}
