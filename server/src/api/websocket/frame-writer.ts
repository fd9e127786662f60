import { setImmediate as nextTurn } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { watchStall } from '../responses/stall-watch.ts';
import type { SpeechServerFrame } from './live-speech-frames.ts';
import type { LiveSpeechProtocol } from './live-speech-protocol.ts';
import { unreadOutputBytes } from './unread-output.ts';

/** Bytes buffered in the socket above which sending waits. */
const BUFFERED_BYTES_MAX = 128 * 1024;

/** Time after which the messages of a frame continue in the next turn of the event loop. */
const SLICE_MS = 10;

/** The client read nothing for longer than the stall timeout. */
export class StalledReaderError extends Error {
  override readonly name = 'StalledReaderError';
}

/** Sends frames with backpressure. */
export class FrameWriter {
  readonly #socket: WebSocket;
  readonly #stallMs: number;
  readonly #protocol: Pick<LiveSpeechProtocol, 'encode'>;

  constructor(
    socket: WebSocket,
    options: { readonly stallMs: number; readonly protocol: Pick<LiveSpeechProtocol, 'encode'> },
  ) {
    this.#socket = socket;
    this.#stallMs = options.stallMs;
    this.#protocol = options.protocol;
  }

  /** Resolves when the socket accepts another frame. Rejects when the client disconnects or stalls. */
  async send(frame: SpeechServerFrame): Promise<void> {
    let sliceEndsAtMs = performance.now() + SLICE_MS;
    for (const message of this.#protocol.encode(frame)) {
      if (performance.now() >= sliceEndsAtMs) {
        await nextTurn();
        sliceEndsAtMs = performance.now() + SLICE_MS;
      }
      await this.#send(message);
    }
  }

  #send(message: Buffer | string): Promise<void> {
    return new Promise((resolve, reject) => {
      const endWatch = watchStall({
        stallMs: this.#stallMs,
        unreadBytes: () => unreadOutputBytes(this.#socket),
        onStall: () => reject(new StalledReaderError('The client stopped reading.')),
      });
      const done = (error?: Error | null) => {
        endWatch();
        if (error) reject(error);
        else resolve();
      };
      this.#socket.send(message, { binary: typeof message !== 'string' }, (error) => done(error));
      if (this.#socket.bufferedAmount <= BUFFERED_BYTES_MAX) done();
    });
  }
}
