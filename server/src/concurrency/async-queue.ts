/** A queue from callbacks to one `for await` loop. */
export class AsyncQueue<T> implements AsyncIterable<T> {
  readonly #values: T[] = [];
  readonly #onLeave: () => void;
  #outcome: { readonly error: unknown } | 'ended' | undefined;
  #wake: (() => void) | undefined;

  /** `onLeave` is called when the reader leaves the loop before the end. */
  constructor(onLeave: () => void) {
    this.#onLeave = onLeave;
  }

  push(value: T): void {
    this.#values.push(value);
    this.#wake?.();
  }

  end(): void {
    this.#outcome ??= 'ended';
    this.#wake?.();
  }

  fail(error: unknown): void {
    this.#outcome ??= { error };
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    try {
      for (;;) {
        while (this.#values.length > 0) yield this.#values.shift()!;
        if (this.#outcome === 'ended') return;
        if (this.#outcome !== undefined) throw this.#outcome.error;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      if (this.#outcome === undefined) this.#onLeave();
    }
  }
}
