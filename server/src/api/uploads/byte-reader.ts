import { ApiError } from '../../errors.ts';

/** Reads exact numbers of bytes from a stream. It buffers at most one chunk, and what `load` was called for. */
export class ByteReader {
  readonly #chunks: AsyncGenerator<Buffer>;
  #buffer: Buffer = Buffer.alloc(0);

  constructor(source: AsyncGenerator<Buffer>) {
    this.#chunks = source;
  }

  /** Reads `count` bytes. */
  async take(count: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.stream(count)) parts.push(part);
    const [first] = parts;
    return first !== undefined && parts.length === 1 ? first : Buffer.concat(parts);
  }

  async takeByte(): Promise<number> {
    return (await this.take(1)).readUInt8(0);
  }

  /** The bytes that are buffered, without consuming them. */
  get buffered(): Buffer {
    return this.#buffer;
  }

  /** Buffers at least `count` bytes. Throws `invalid_body` when the source ends before. */
  async load(count: number): Promise<void> {
    while (this.#buffer.length < count) {
      const chunk = await this.#nextChunk();
      this.#buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk]);
    }
  }

  /** Reads `count` bytes as a stream. Throws `invalid_body` when the source ends before. */
  async *stream(count: number): AsyncGenerator<Buffer> {
    for (let bytesLeft = count; bytesLeft > 0; ) {
      if (this.#buffer.length === 0) this.#buffer = await this.#nextChunk();
      const part = this.#buffer.subarray(0, bytesLeft);
      this.#buffer = this.#buffer.subarray(part.length);
      bytesLeft -= part.length;
      if (part.length > 0) yield part;
    }
  }

  /** Ends the iteration of the source. */
  async close(): Promise<void> {
    await this.#chunks.return(undefined);
  }

  /** Reads and discards the rest of the source. */
  async drain(): Promise<void> {
    while (!(await this.#chunks.next()).done);
  }

  async #nextChunk(): Promise<Buffer> {
    const next = await this.#chunks.next();
    if (next.done) throw new ApiError('invalid_body', 'The body ended early.');
    return next.value;
  }
}
