/** Where requests wait until something they need is there. */
export class SlotQueue {
  readonly #waiters = new Set<() => void>();

  /** Something may have come: everybody looks again. */
  wake(): void {
    for (const wake of [...this.#waiters]) wake();
  }

  /** What `find` finds, now or after a wake; undefined when it is not there in time or `signal` aborts. */
  async wait<T>(
    find: () => T | undefined,
    options: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<T | undefined> {
    const { signal, timeoutMs } = options;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeoutMs);
    const end = AbortSignal.any([signal, late.signal]);
    try {
      while (!end.aborted) {
        const found = find();
        if (found !== undefined) return found;
        await this.#nextWake(end);
      }
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  #nextWake(end: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiters.delete(wake);
        end.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiters.add(wake);
      end.addEventListener('abort', wake);
    });
  }
}
