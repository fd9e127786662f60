import type { WebSocket } from 'ws';
import type { LiveDialect } from './live-dialect.ts';
import type { ServerFrame } from './live-frames.ts';

/** Bytes that may wait in the socket before the next frame is held back. */
const WAITING_BYTES_MAX = 128 * 1024;

/** A client took nothing for too long. */
export class StalledReaderError extends Error {
  override readonly name = 'StalledReaderError';
}

/** Sends frames at the client's pace. */
export class FrameWriter {
  readonly #socket: WebSocket;
  readonly #stallMs: number;
  readonly #dialect: Pick<LiveDialect, 'write'>;

  constructor(
    socket: WebSocket,
    options: { readonly stallMs: number; readonly dialect: Pick<LiveDialect, 'write'> },
  ) {
    this.#socket = socket;
    this.#stallMs = options.stallMs;
    this.#dialect = options.dialect;
  }

  /** Resolves when there is room for another frame. Rejects when the client is gone, or stalls. */
  async send(frame: ServerFrame): Promise<void> {
    for (const message of this.#dialect.write(frame)) await this.#send(message);
  }

  #send(message: Buffer | string): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new StalledReaderError('The client stopped reading.')),
        this.#stallMs,
      );
      const done = (error?: Error | null) => {
        clearTimeout(timer);
        if (error) reject(error);
        else resolve();
      };
      this.#socket.send(message, { binary: typeof message !== 'string' }, (error) => done(error));
      if (this.#socket.bufferedAmount <= WAITING_BYTES_MAX) done();
    });
  }
}
