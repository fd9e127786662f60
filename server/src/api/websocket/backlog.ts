/** Sound that was sent and not yet heard. Who sends is made to wait while there is too much of it. */
export class Backlog {
  readonly #maxSeconds: number;
  #sentSeconds = 0;
  #processedSeconds = 0;
  #isClosed = false;
  #wake: () => void = () => {};

  constructor(maxSeconds: number) {
    this.#maxSeconds = maxSeconds;
  }

  /** Counts what was sent, and waits until there is room for more. */
  async add(seconds: number): Promise<void> {
    this.#sentSeconds += seconds;
    while (!this.#isClosed && this.#sentSeconds - this.#processedSeconds > this.#maxSeconds) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Everything before this has been heard. */
  heard(seconds: number): void {
    this.#processedSeconds = seconds;
    this.#wake();
  }

  /** Nobody listens any more: nobody waits. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }
}
