interface Waiter {
  readonly admit: () => void;
}

/** A limited number of slots. Waiting owners are served in turn, each owner in order of arrival. */
export class FairSlots {
  readonly #max: number;
  /** Waiting calls by owner. The first owner is served next. */
  readonly #waiting = new Map<string, Waiter[]>();
  #used = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Number of slots in use. */
  get used(): number {
    return this.#used;
  }

  /** Waits for a slot, and returns the function that gives it back. Rejects with the reason of the signal. */
  async acquire(owner: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#used < this.#max) this.#used++;
    else await this.#wait(owner, signal);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#release();
    };
  }

  #wait(owner: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#remove(owner, waiter);
        reject(signal?.reason);
      };
      const waiter = {
        admit: () => {
          signal?.removeEventListener('abort', abort);
          resolve();
        },
      };
      const queue = this.#waiting.get(owner);
      if (queue === undefined) this.#waiting.set(owner, [waiter]);
      else queue.push(waiter);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  #remove(owner: string, waiter: Waiter): void {
    const left = this.#waiting.get(owner)?.filter((other) => other !== waiter) ?? [];
    if (left.length === 0) this.#waiting.delete(owner);
    else this.#waiting.set(owner, left);
  }

  /** Passes the slot to the next owner in turn. */
  #release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#used--;
      return;
    }
    const [owner, [waiter, ...others]] = next;
    this.#waiting.delete(owner);
    if (others.length > 0) this.#waiting.set(owner, others);
    waiter?.admit();
  }
}
