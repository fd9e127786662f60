/** Concatenates byte arrays. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

/** Collects byte arrays and returns them as one. */
export class ByteSink {
  #parts: Uint8Array[] = [];

  push(bytes: Uint8Array): void {
    this.#parts.push(bytes);
  }

  /** Removes and returns all collected bytes, in order. */
  take(): Uint8Array {
    const parts = this.#parts;
    this.#parts = [];
    return joinBytes(parts);
  }
}
