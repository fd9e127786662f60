/** Size of a block. Small appends share a block, so that the number of blocks follows from the bytes. */
const BLOCK_BYTES = 64 * 1024;

/** Bytes that are appended in parts of any size, in time proportional to their number. */
export class ByteList {
  #blocks: Uint8Array[] = [];
  #length = 0;
  /** Free space at the end of the last block. */
  #free: Uint8Array = new Uint8Array(0);

  get length(): number {
    return this.#length;
  }

  append(bytes: Uint8Array): void {
    this.#length += bytes.length;
    for (let rest = bytes; rest.length > 0; ) {
      if (this.#free.length === 0) this.#addBlock();
      const part = rest.subarray(0, this.#free.length);
      this.#free.set(part);
      this.#free = this.#free.subarray(part.length);
      rest = rest.subarray(part.length);
    }
  }

  /** Inserts blocks of an earlier `clear` at the start. */
  prepend(blocks: readonly Uint8Array[]): void {
    this.#blocks = [...blocks, ...this.#blocks];
    this.#length += blocks.reduce((sum, { length }) => sum + length, 0);
  }

  /** Removes and returns the bytes. */
  clear(): { readonly blocks: readonly Uint8Array[]; readonly length: number } {
    const blocks = this.#blocks;
    const length = this.#length;
    const last = blocks.pop();
    if (last !== undefined) blocks.push(last.subarray(0, last.length - this.#free.length));
    this.#blocks = [];
    this.#length = 0;
    this.#free = new Uint8Array(0);
    return { blocks, length };
  }

  #addBlock(): void {
    this.#free = new Uint8Array(BLOCK_BYTES);
    this.#blocks.push(this.#free);
  }
}
