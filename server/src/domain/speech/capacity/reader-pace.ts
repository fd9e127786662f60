import { ApiError } from '../../../errors.ts';

/** A reader below this share of real time is slow. */
const SLOW_BELOW = 0.25;

/** Compares the audio that a client reads with real time. All times are in milliseconds of a monotonic clock. */
export class ReaderPace {
  readonly #slowAfterMs: number;
  #startedAtMs: number | undefined;
  #audioMs = 0;
  #offer: { readonly audioMs: number; readonly atMs: number } | undefined;
  /**
   * Time that the server waited for the reader, and the audio that the reader took meanwhile. It begins after a wait: a
   * system reports free space of its send buffer, which holds minutes of audio, in large steps, so that a steady reader takes
   * a lot of audio at once after each long wait. Undefined: the reader has not fallen behind.
   */
  #window: { waitedMs: number; audioMs: number } | undefined;

  /** `slowAfterMs` is how long a client may be slow; 0: without a limit. */
  constructor({ slowAfterMs }: { readonly slowAfterMs: number }) {
    this.#slowAfterMs = slowAfterMs;
  }

  /** Audio in advance of a playback that began with the first audio. Negative: the reader is behind real time. */
  leadMs(nowMs: number): number {
    return this.#startedAtMs === undefined
      ? Number.NEGATIVE_INFINITY
      : this.#startedAtMs + this.#audioMs - nowMs;
  }

  /** The next audio waits for the reader. */
  offer(audioSeconds: number, nowMs: number): void {
    this.#startedAtMs ??= nowMs;
    this.#offer = { audioMs: audioSeconds * 1000, atMs: nowMs };
    this.#audioMs += this.#offer.audioMs;
  }

  /** The reader has taken the audio. Throws `slow_reader` when it was slow for too long. */
  accept(nowMs: number): void {
    if (this.#offer === undefined || this.#slowAfterMs === 0) return;
    if (this.leadMs(nowMs) >= 0) {
      this.#window = undefined;
      return;
    }
    if (this.#window === undefined) {
      this.#window = { waitedMs: 0, audioMs: this.#offer.audioMs };
      return;
    }
    const window = this.#window;
    window.waitedMs += nowMs - this.#offer.atMs;
    window.audioMs += this.#offer.audioMs;
    if (window.waitedMs < this.#slowAfterMs) return;
    if (window.audioMs < SLOW_BELOW * window.waitedMs) {
      throw new ApiError('slow_reader', 'The client reads the audio far below real time.');
    }
    this.#window = { waitedMs: 0, audioMs: 0 };
  }
}
