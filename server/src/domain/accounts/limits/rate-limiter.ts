const WINDOW_MS = 60_000;
/** Keys that are remembered at once; beyond it all start anew, which only ever lets more through. */
const KEYS_MAX = 50_000;

/** How a key stands with its limit after a request. */
export interface RateState {
  readonly isAllowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Until a further request is allowed, or until all of them are again. */
  readonly resetSeconds: number;
}

/** Counts the requests of each key. A key may send its whole limit at once and gets it back evenly over a minute. */
export class RateLimiter {
  readonly #now: () => number;
  /** When the key's debt is paid off, in milliseconds since the epoch. */
  readonly #paidOffAtMs = new Map<string, number>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Counts a request of a key that may send `limit` in a minute. One that is refused does not count. */
  take(keyId: string, limit: number): RateState {
    const nowMs = this.#now();
    const stepMs = WINDOW_MS / limit;
    const paidOffAtMs = Math.max(this.#paidOffAtMs.get(keyId) ?? 0, nowMs);
    const afterMs = paidOffAtMs + stepMs;
    if (afterMs - nowMs > WINDOW_MS + 1e-6) {
      const resetSeconds = (afterMs - nowMs - WINDOW_MS) / 1000;
      return { isAllowed: false, limit, remaining: 0, resetSeconds };
    }
    if (this.#paidOffAtMs.size >= KEYS_MAX) this.#paidOffAtMs.clear();
    this.#paidOffAtMs.set(keyId, afterMs);
    const remaining = Math.floor((WINDOW_MS - (afterMs - nowMs)) / stepMs + 1e-6);
    return { isAllowed: true, limit, remaining, resetSeconds: (afterMs - nowMs) / 1000 };
  }
}
