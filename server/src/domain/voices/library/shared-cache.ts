interface Entry<Value> {
  readonly value: Promise<Value>;
  readonly controller: AbortController;
  waiting: number;
  isSettled: boolean;
}

/**
 * An LRU cache of values that take seconds to create. Concurrent calls share one creation, which is aborted when all
 * of them have been aborted. A failure reaches all waiting calls and is not cached.
 */
export class SharedCache<Value> {
  readonly #max: number;
  /** The least recently used entry comes first. */
  readonly #entries = new Map<string, Entry<Value>>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Rejects with the reason of the signal when that aborts first. */
  async get(
    key: string,
    signal: AbortSignal,
    create: (signal: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    signal.throwIfAborted();
    const entry = this.#entries.get(key) ?? this.#create(key, create);
    this.#use(key, entry);
    entry.waiting++;
    let abort: (() => void) | undefined;
    const aborted = new Promise<never>((_, reject) => {
      abort = () => reject(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
    });
    try {
      return await Promise.race([entry.value, aborted]);
    } finally {
      if (abort !== undefined) signal.removeEventListener('abort', abort);
      entry.waiting--;
      if (entry.waiting === 0 && !entry.isSettled) this.#abort(key, entry);
    }
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  #create(key: string, create: (signal: AbortSignal) => Promise<Value>): Entry<Value> {
    const controller = new AbortController();
    const entry = { value: create(controller.signal), controller, waiting: 0, isSettled: false };
    entry.value.then(
      () => {
        entry.isSettled = true;
      },
      () => {
        entry.isSettled = true;
        this.#remove(key, entry);
      },
    );
    return entry;
  }

  #use(key: string, entry: Entry<Value>): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#max) break;
      this.#entries.delete(oldest);
    }
  }

  #abort(key: string, entry: Entry<Value>): void {
    this.#remove(key, entry);
    entry.controller.abort(new Error('No request waits for this voice any more.'));
  }

  #remove(key: string, entry: Entry<Value>): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
  }
}
