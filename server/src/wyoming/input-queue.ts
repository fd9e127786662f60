/** Counted for every item in addition to its length: many small items take more memory than their content. */
const ITEM_COST = 64;

/** A queue between a reader of a socket and a consumer. While `isFull`, the reader should pause. */
export class InputQueue<Item extends { readonly length: number }> implements AsyncIterable<Item> {
  readonly #maxLength: number;
  readonly #onSpace: () => void;
  readonly #items: Item[] = [];
  #length = 0;
  #hasEnded = false;
  #wake: () => void = () => {};

  /** `onSpace` is called whenever the queue is no longer full. */
  constructor(maxLength: number, onSpace: () => void) {
    this.#maxLength = maxLength;
    this.#onSpace = onSpace;
  }

  get isFull(): boolean {
    return this.#length > this.#maxLength;
  }

  push(item: Item): void {
    if (this.#hasEnded || item.length === 0) return;
    this.#items.push(item);
    this.#length += costOf(item);
    this.#wake();
  }

  end(): void {
    this.#hasEnded = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    for (;;) {
      const item = this.#items.shift();
      if (item !== undefined) {
        const wasFull = this.isFull;
        this.#length -= costOf(item);
        if (wasFull && !this.isFull) this.#onSpace();
        yield item;
      } else if (this.#hasEnded) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}

function costOf({ length }: { readonly length: number }): number {
  return length + ITEM_COST;
}
