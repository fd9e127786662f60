import { joinBytes } from '../bytes.ts';

/** Reads a byte stream in portions of a requested size. Buffers at most that size plus one part of the stream. */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #signal: AbortSignal | undefined;
  #buffer: Uint8Array = new Uint8Array(0);
  #hasEnded = false;
  #sourceFailure: { readonly error: unknown } | undefined;

  constructor(bytes: AsyncIterable<Uint8Array>, signal?: AbortSignal) {
    this.#source = bytes[Symbol.asyncIterator]();
    this.#signal = signal;
  }

  /** Returns the next bytes without consuming them. Fewer than `count` only at the end of the stream. */
  async peek(count: number): Promise<Uint8Array> {
    const parts = [this.#buffer];
    let length = this.#buffer.length;
    while (length < count) {
      const part = await this.#pull();
      if (part === undefined) break;
      parts.push(part);
      length += part.length;
    }
    this.#buffer = parts.length === 1 ? this.#buffer : joinBytes(parts);
    return this.#buffer.subarray(0, count);
  }

  /** The next bytes, without a wait. Undefined when fewer than `count` are buffered. */
  peekBuffered(count: number): Uint8Array | undefined {
    return this.#buffer.length < count ? undefined : this.#buffer.subarray(0, count);
  }

  /** Consumes bytes that a peek has returned. */
  dropBuffered(count: number): void {
    this.#buffer = this.#buffer.subarray(count);
  }

  /** Consumes the next bytes. Fewer than `count` only at the end of the stream. */
  async read(count: number): Promise<Uint8Array> {
    const bytes = await this.peek(count);
    this.#buffer = this.#buffer.subarray(bytes.length);
    return bytes;
  }

  /** Consumes the bytes that are buffered, 1 to `count`; none at the end of the stream. */
  async readSome(count: number): Promise<Uint8Array> {
    return this.read(Math.max(1, Math.min(count, this.#buffer.length)));
  }

  /** Skips the next bytes and returns their number. */
  async skip(count: number): Promise<number> {
    let skipped = 0;
    while (skipped < count) {
      const bytes = await this.readSome(count - skipped);
      if (bytes.length === 0) break;
      skipped += bytes.length;
    }
    return skipped;
  }

  /** Whether an error came from the source or its cancellation, not from the content. */
  isSourceFailure(error: unknown): boolean {
    return this.#sourceFailure !== undefined && this.#sourceFailure.error === error;
  }

  /** Cancels the source. */
  async close(): Promise<void> {
    this.#buffer = new Uint8Array(0);
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    // A source that was aborted while waiting may never settle.
    const closed = Promise.resolve(this.#source.return?.()).catch(() => undefined);
    if (this.#signal?.aborted !== true) await closed;
  }

  async #pull(): Promise<Uint8Array | undefined> {
    while (!this.#hasEnded) {
      try {
        this.#signal?.throwIfAborted();
        const next = await raceAbort(this.#source.next(), this.#signal);
        if (next.done === true) this.#hasEnded = true;
        else if (next.value.length > 0) return next.value;
      } catch (error) {
        this.#sourceFailure = { error };
        throw error;
      }
    }
    return undefined;
  }
}

/** Resolves like the promise; rejects with the reason of the signal as soon as it aborts. */
async function raceAbort<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return promise;
  const { promise: aborted, reject } = createRejectable();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function createRejectable(): { promise: Promise<never>; reject: (reason: unknown) => void } {
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise<never>((_, rejectPromise) => {
    reject = rejectPromise;
  });
  return { promise, reject };
}
