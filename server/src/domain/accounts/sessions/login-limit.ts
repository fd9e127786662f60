import { ApiError } from '../../../errors.ts';

/** Failed logins of one address within the window, after which it is refused. */
export const FAILED_LOGINS_MAX = 10;
/** Logins with one key within the window, after which it is refused: each is an audit event, which stays. */
export const KEY_LOGINS_MAX = 200;
export const LOGIN_WINDOW_MS = 600_000;
/** Maximum number of tracked names. Above it the oldest is forgotten. */
const NAMES_MAX = 10_000;

/** Limits logins within a window, per network address or key. */
export class LoginLimit {
  readonly #counts = new Map<string, { count: number; readonly untilMs: number }>();
  readonly #options: { readonly max: number; readonly message: string; readonly now: () => number };

  /** `message` is that of the error. */
  constructor(options: { readonly max: number; readonly message: string; readonly now: () => number }) {
    this.#options = options;
  }

  /** Throws `too_many_logins` when the limit of this name is reached. */
  assertAllowed(name: string): void {
    const { max, message, now } = this.#options;
    const counted = this.#current(name);
    if (counted === undefined || counted.count < max) return;
    throw new ApiError('too_many_logins', message, { retryAfterSeconds: (counted.untilMs - now()) / 1000 });
  }

  count(name: string): void {
    const counted = this.#current(name);
    if (counted !== undefined) {
      counted.count += 1;
      return;
    }
    const oldest = this.#counts.keys().next().value;
    if (this.#counts.size >= NAMES_MAX && oldest !== undefined) this.#counts.delete(oldest);
    this.#counts.set(name, { count: 1, untilMs: this.#options.now() + LOGIN_WINDOW_MS });
  }

  #current(name: string) {
    const counted = this.#counts.get(name);
    if (counted === undefined || counted.untilMs > this.#options.now()) return counted;
    this.#counts.delete(name);
    return undefined;
  }
}
