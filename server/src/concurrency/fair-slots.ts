import { FairQueue } from './fair-queue.ts';

interface Waiter {
  readonly admit: () => void;
}

/** A limited number of slots. Waiting owners are served in turn, each owner in order of arrival. */
export class FairSlots {
  readonly #max: number;
  readonly #waiting = new FairQueue<Waiter>();
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
        this.#waiting.remove(owner, waiter);
        reject(signal?.reason);
      };
      const waiter = {
        admit: () => {
          signal?.removeEventListener('abort', abort);
          resolve();
        },
      };
      this.#waiting.add(owner, waiter);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  /** Passes the slot to the next owner in turn. */
  #release(): void {
    const next = this.#waiting.take();
    if (next === undefined) this.#used--;
    else next.admit();
  }
}
