/** Time over which a limit refills. */
export const RATE_WINDOW_MS = 60_000;
/** Maximum number of tracked keys. Above it all counters are reset, which only allows more requests. */
const KEYS_MAX = 50_000;

/** State of the rate limit of a key after a request. */
export interface RateState {
  readonly isAllowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Refused: time until the next request is allowed. Allowed: time until the full limit is available again. */
  readonly resetSeconds: number;
}

/** Counts the requests of keys. */
export interface RateCounter {
  /** Counts a request of a key with a limit of `limit` requests per minute. A refused request does not count. */
  countRequest(keyId: string, limit: number): RateState | Promise<RateState>;
}

/** Generic cell rate algorithm per key: bursts up to the limit, refilled evenly over a minute. */
export class RateLimiter implements RateCounter {
  readonly #now: () => number;
  /** Theoretical arrival time by key, in milliseconds since the epoch. */
  readonly #arrivalAtMs = new Map<string, number>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  countRequest(keyId: string, limit: number): RateState {
    const nowMs = this.#now();
    const stepMs = RATE_WINDOW_MS / limit;
    const arrivalAtMs = Math.max(this.#arrivalAtMs.get(keyId) ?? 0, nowMs);
    const afterMs = arrivalAtMs + stepMs;
    if (afterMs - nowMs > RATE_WINDOW_MS + 1e-6) {
      const resetSeconds = (afterMs - nowMs - RATE_WINDOW_MS) / 1000;
      return { isAllowed: false, limit, remaining: 0, resetSeconds };
    }
    if (this.#arrivalAtMs.size >= KEYS_MAX) this.#arrivalAtMs.clear();
    this.#arrivalAtMs.set(keyId, afterMs);
    const remaining = Math.floor((RATE_WINDOW_MS - (afterMs - nowMs)) / stepMs + 1e-6);
    return { isAllowed: true, limit, remaining, resetSeconds: (afterMs - nowMs) / 1000 };
  }
}
