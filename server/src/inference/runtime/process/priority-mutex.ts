/**
 * A mutex with two priorities. Urgent work runs before other work; within a priority the order is FIFO. While it is
 * reserved, only urgent work begins, also between the steps of what it is reserved for.
 */
export class PriorityMutex {
  readonly #urgent: (() => void)[] = [];
  readonly #normal: (() => void)[] = [];
  #isLocked = false;
  #reservations = 0;

  /** Reserves the mutex for urgent work until the returned function is called. */
  reserve(): () => void {
    this.#reservations++;
    let isReserved = true;
    return () => {
      if (!isReserved) return;
      isReserved = false;
      this.#reservations--;
      if (!this.#isLocked) this.#beginNext();
    };
  }

  /** Rejects when the signal is aborted before the work begins. */
  async runExclusive<T>(
    work: () => Promise<T>,
    options: { readonly isUrgent: boolean; readonly signal?: AbortSignal },
  ): Promise<T> {
    options.signal?.throwIfAborted();
    const mayBegin = !this.#isLocked && (options.isUrgent || this.#reservations === 0);
    if (!mayBegin) await this.#wait(options.isUrgent ? this.#urgent : this.#normal, options.signal);
    this.#isLocked = true;
    try {
      return await work();
    } finally {
      this.#beginNext();
    }
  }

  /** Passes the mutex on, or unlocks it. */
  #beginNext(): void {
    const next = this.#urgent.shift() ?? (this.#reservations === 0 ? this.#normal.shift() : undefined);
    this.#isLocked = next !== undefined;
    next?.();
  }

  #wait(queue: (() => void)[], signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        queue.splice(queue.indexOf(begin), 1);
        reject(signal?.reason);
      };
      queue.push(begin);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }
}
