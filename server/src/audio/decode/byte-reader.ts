import { joinBytes } from '../bytes.ts';

/** Reads a stream of bytes in the portions a parser wants, holding no more than was asked for and one part of the stream. */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #signal: AbortSignal | undefined;
  #held: Uint8Array = new Uint8Array(0);
  #hasEnded = false;
  #sourceFailure: { readonly error: unknown } | undefined;

  constructor(bytes: AsyncIterable<Uint8Array>, signal?: AbortSignal) {
    this.#source = bytes[Symbol.asyncIterator]();
    this.#signal = signal;
  }

  /** The next bytes, which stay in the stream. Fewer than `count` only at its end. */
  async peek(count: number): Promise<Uint8Array> {
    const parts = [this.#held];
    let length = this.#held.length;
    while (length < count) {
      const part = await this.#pull();
      if (part === undefined) break;
      parts.push(part);
      length += part.length;
    }
    this.#held = parts.length === 1 ? this.#held : joinBytes(parts);
    return this.#held.subarray(0, count);
  }

  /** Takes the next bytes. Fewer than `count` only at the stream's end. */
  async read(count: number): Promise<Uint8Array> {
    const bytes = await this.peek(count);
    this.#held = this.#held.subarray(bytes.length);
    return bytes;
  }

  /** Takes what has arrived, at most `count` bytes; nothing at the stream's end. */
  async readSome(count: number): Promise<Uint8Array> {
    return this.read(Math.max(1, Math.min(count, this.#held.length)));
  }

  /** Passes over the next bytes and returns how many there were. */
  async skip(count: number): Promise<number> {
    let skipped = 0;
    while (skipped < count) {
      const bytes = await this.readSome(count - skipped);
      if (bytes.length === 0) break;
      skipped += bytes.length;
    }
    return skipped;
  }

  /** Whether this error came from the stream itself or from its cancelling, not from what it holds. */
  isSourceFailure(error: unknown): boolean {
    return this.#sourceFailure !== undefined && this.#sourceFailure.error === error;
  }

  /** Tells the source that no more is wanted. */
  async close(): Promise<void> {
    this.#held = new Uint8Array(0);
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    // A source that was cancelled while it waited may never answer.
    const closed = Promise.resolve(this.#source.return?.()).catch(() => undefined);
    if (this.#signal?.aborted !== true) await closed;
  }

  async #pull(): Promise<Uint8Array | undefined> {
    while (!this.#hasEnded) {
      try {
        this.#signal?.throwIfAborted();
        const next = await untilAborted(this.#source.next(), this.#signal);
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

/** The promise's value, or the signal's reason as soon as it aborts. */
async function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return promise;
  const { promise: aborted, reject } = withReject();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function withReject(): { promise: Promise<never>; reject: (reason: unknown) => void } {
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise<never>((_, rejectPromise) => {
    reject = rejectPromise;
  });
  return { promise, reject };
}
