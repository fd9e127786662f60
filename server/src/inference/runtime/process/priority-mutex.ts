/** Lets one at a time do something. Those in a hurry go before all others; else the first to ask goes first. */
export class PriorityMutex {
  readonly #urgent: (() => void)[] = [];
  readonly #patient: (() => void)[] = [];
  #isTaken = false;

  async take<T>(work: () => Promise<T>, options: { readonly isUrgent: boolean }): Promise<T> {
    if (this.#isTaken) {
      const line = options.isUrgent ? this.#urgent : this.#patient;
      await new Promise<void>((resolve) => line.push(resolve));
    }
    this.#isTaken = true;
    try {
      return await work();
    } finally {
      const next = this.#urgent.shift() ?? this.#patient.shift();
      if (next === undefined) this.#isTaken = false;
      else next();
    }
  }
}
