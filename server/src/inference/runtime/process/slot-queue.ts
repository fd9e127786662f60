/** Requests that wait for a resource. */
export class SlotQueue {
  readonly #waiters = new Set<() => void>();

  /** Makes all waiting requests check again. */
  notifyAll(): void {
    for (const notify of [...this.#waiters]) notify();
  }

  /** The result of `find`, now or after a notification; undefined after the timeout, if there is one, or an abort. */
  async wait<T>(
    find: () => T | undefined,
    options: { readonly signal: AbortSignal; readonly timeoutMs?: number },
  ): Promise<T | undefined> {
    const { signal, timeoutMs } = options;
    const timeout = new AbortController();
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => timeout.abort(), timeoutMs);
    const end = AbortSignal.any([signal, timeout.signal]);
    try {
      while (!end.aborted) {
        const found = find();
        if (found !== undefined) return found;
        await this.#nextNotification(end);
      }
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  #nextNotification(end: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const notify = () => {
        this.#waiters.delete(notify);
        end.removeEventListener('abort', notify);
        resolve();
      };
      this.#waiters.add(notify);
      end.addEventListener('abort', notify);
    });
  }
}
