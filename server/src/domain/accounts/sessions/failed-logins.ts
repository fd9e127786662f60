import { ApiError } from '../../../errors.ts';

/** Failed logins of one address within the window, after which it is refused. */
export const FAILED_LOGINS_MAX = 10;
export const FAILED_LOGINS_WINDOW_MS = 600_000;
/** Maximum number of tracked addresses. Above it the oldest is forgotten. */
const SOURCES_MAX = 10_000;

/** Limits failed logins per network address. */
export class FailedLogins {
  readonly #failures = new Map<string, { count: number; readonly untilMs: number }>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Throws `too_many_logins` after too many failures of this address. */
  assertAllowed(source: string): void {
    const failures = this.#current(source);
    if (failures === undefined || failures.count < FAILED_LOGINS_MAX) return;
    throw new ApiError('too_many_logins', 'Too many failed logins from this address.', {
      retryAfterSeconds: (failures.untilMs - this.#now()) / 1000,
    });
  }

  recordFailure(source: string): void {
    const failures = this.#current(source);
    if (failures !== undefined) {
      failures.count += 1;
      return;
    }
    const oldest = this.#failures.keys().next().value;
    if (this.#failures.size >= SOURCES_MAX && oldest !== undefined) this.#failures.delete(oldest);
    this.#failures.set(source, { count: 1, untilMs: this.#now() + FAILED_LOGINS_WINDOW_MS });
  }

  #current(source: string) {
    const failures = this.#failures.get(source);
    if (failures === undefined || failures.untilMs > this.#now()) return failures;
    this.#failures.delete(source);
    return undefined;
  }
}
