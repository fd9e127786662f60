/** Bytes that are kept while the server cannot be reached: about two minutes of the microphone. */
const BYTES_MAX = 10_000_000;

/** Samples of the microphone, to be read while they arrive. Above a limit the oldest are dropped. */
export class SampleQueue {
  readonly #chunks: Uint8Array[] = [];
  isClosed = false;
  #bytes = 0;
  #wake: () => void = () => {};

  push(bytes: Uint8Array): void {
    this.#chunks.push(bytes);
    this.#bytes += bytes.length;
    while (this.#bytes > BYTES_MAX) this.#bytes -= this.#chunks.shift()?.length ?? 0;
    this.#wake();
  }

  close(): void {
    this.isClosed = true;
    this.#wake();
  }

  async *read(): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      const next = this.#chunks.shift();
      if (next !== undefined) {
        this.#bytes -= next.length;
        yield next;
      } else if (this.isClosed) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
