import type { WebSocket } from 'ws';
import { type ServerFrame, writeFrame } from './live-frames.ts';

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

  constructor(socket: WebSocket, options: { readonly stallMs: number }) {
    this.#socket = socket;
    this.#stallMs = options.stallMs;
  }

  /** Resolves when there is room for another frame. Rejects when the client is gone, or stalls. */
  send(frame: ServerFrame): Promise<void> {
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
      this.#socket.send(writeFrame(frame), { binary: true }, (error) => done(error));
      if (this.#socket.bufferedAmount <= WAITING_BYTES_MAX) done();
    });
  }
}
