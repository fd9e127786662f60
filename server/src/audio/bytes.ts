/** The parts as one array. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

/** Gathers byte arrays and hands them out as one. */
export class ByteSink {
  #parts: Uint8Array[] = [];

  push(bytes: Uint8Array): void {
    this.#parts.push(bytes);
  }

  /** Everything gathered since the last call, in order. */
  take(): Uint8Array {
    const parts = this.#parts;
    this.#parts = [];
    return joinBytes(parts);
  }
}
