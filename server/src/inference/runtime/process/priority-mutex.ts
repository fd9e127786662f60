/** A mutex with two priorities. Urgent work runs before other work; within a priority the order is FIFO. */
export class PriorityMutex {
  readonly #urgent: (() => void)[] = [];
  readonly #normal: (() => void)[] = [];
  #isLocked = false;

  async runExclusive<T>(work: () => Promise<T>, options: { readonly isUrgent: boolean }): Promise<T> {
    if (this.#isLocked) {
      const queue = options.isUrgent ? this.#urgent : this.#normal;
      await new Promise<void>((resolve) => queue.push(resolve));
    }
    this.#isLocked = true;
    try {
      return await work();
    } finally {
      const next = this.#urgent.shift() ?? this.#normal.shift();
      if (next === undefined) this.#isLocked = false;
      else next();
    }
  }
}
