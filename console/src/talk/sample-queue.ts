/** Samples of the microphone, to be read while they arrive. */
export class SampleQueue {
  readonly #chunks: Uint8Array[] = [];
  #isClosed = false;
  #wake: () => void = () => {};

  push(bytes: Uint8Array): void {
    this.#chunks.push(bytes);
    this.#wake();
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  async *read(): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      const next = this.#chunks.shift();
      if (next !== undefined) yield next;
      else if (this.#isClosed) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
