/** A mutex with two priorities. Urgent work runs before other work; within a priority the order is FIFO. */
export class PriorityMutex {
  readonly #urgent: (() => void)[] = [];
  readonly #normal: (() => void)[] = [];
  #isLocked = false;

  /** Rejects when the signal is aborted before the work begins. */
  async runExclusive<T>(
    work: () => Promise<T>,
    options: { readonly isUrgent: boolean; readonly signal?: AbortSignal },
  ): Promise<T> {
    options.signal?.throwIfAborted();
    if (this.#isLocked) await this.#wait(options.isUrgent ? this.#urgent : this.#normal, options.signal);
    this.#isLocked = true;
    try {
      return await work();
    } finally {
      const next = this.#urgent.shift() ?? this.#normal.shift();
      if (next === undefined) this.#isLocked = false;
      else next();
    }
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
