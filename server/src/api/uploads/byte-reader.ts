import { ApiError } from '../../errors.ts';

/** Reads a stream of bytes piece by piece, and holds no more of it than was asked for. */
export class ByteReader {
  readonly #chunks: AsyncGenerator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncGenerator<Buffer>) {
    this.#chunks = source;
  }

  /** Exactly so many bytes. */
  async take(count: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.stream(count)) parts.push(part);
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  /** Exactly so many bytes, as they come. */
  async *stream(count: number): AsyncGenerator<Buffer> {
    for (let missing = count; missing > 0; ) {
      if (this.#rest.length === 0) {
        const next = await this.#chunks.next();
        if (next.done) throw new ApiError('invalid_body', 'The body ended early.');
        this.#rest = next.value;
      }
      const part = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(part.length);
      missing -= part.length;
      if (part.length > 0) yield part;
    }
  }

  /** Lets go of the source. */
  async close(): Promise<void> {
    await this.#chunks.return(undefined);
  }

  /** Reads and drops the rest. */
  async drain(): Promise<void> {
    while (!(await this.#chunks.next()).done);
  }
}
