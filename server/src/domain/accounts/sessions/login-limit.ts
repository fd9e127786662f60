import { ApiError } from '../../../errors.ts';

/** Failed logins of one address within the window, after which it is refused. */
export const FAILED_LOGINS_MAX = 10;
/** Logins with one key within the window, after which it is refused: each is an audit event, which stays. */
export const KEY_LOGINS_MAX = 200;
export const LOGIN_WINDOW_MS = 600_000;
/** Maximum number of tracked names. Above it the oldest is forgotten. */
const NAMES_MAX = 10_000;

/** Logins of one name in its current window. */
export interface CountedLogins {
  readonly count: number;
  /** Time until the end of the window. */
  readonly remainingMs: number;
}

/** Counts logins by name, in windows that begin with the first login of a name. */
export interface LoginCounter {
  /** Undefined: no login in the current window. */
  find(name: string): Promise<CountedLogins | undefined>;
  add(name: string): Promise<void>;
}

/** Counts the logins of one server. */
export class MemoryLoginCounter implements LoginCounter {
  readonly #counts = new Map<string, { count: number; readonly untilMs: number }>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  async find(name: string): Promise<CountedLogins | undefined> {
    const counted = this.#current(name);
    return counted && { count: counted.count, remainingMs: counted.untilMs - this.#now() };
  }

  async add(name: string): Promise<void> {
    const counted = this.#current(name);
    if (counted !== undefined) {
      counted.count += 1;
      return;
    }
    const oldest = this.#counts.keys().next().value;
    if (this.#counts.size >= NAMES_MAX && oldest !== undefined) this.#counts.delete(oldest);
    this.#counts.set(name, { count: 1, untilMs: this.#now() + LOGIN_WINDOW_MS });
  }

  #current(name: string) {
    const counted = this.#counts.get(name);
    if (counted === undefined || counted.untilMs > this.#now()) return counted;
    this.#counts.delete(name);
    return undefined;
  }
}

/** Limits logins within a window, per network address or key. */
export class LoginLimit {
  readonly #counter: LoginCounter;
  readonly #options: { readonly kind: string; readonly max: number; readonly message: string };

  /** `kind` distinguishes the names of limits with one counter; `message` is that of the error. */
  constructor(
    counter: LoginCounter,
    options: { readonly kind: string; readonly max: number; readonly message: string },
  ) {
    this.#counter = counter;
    this.#options = options;
  }

  /** Rejects with `too_many_logins` when the limit of this name is reached. */
  async assertAllowed(name: string): Promise<void> {
    const { max, message } = this.#options;
    const counted = await this.#counter.find(this.#fullName(name));
    if (counted === undefined || counted.count < max) return;
    throw new ApiError('too_many_logins', message, { retryAfterSeconds: counted.remainingMs / 1000 });
  }

  count(name: string): Promise<void> {
    return this.#counter.add(this.#fullName(name));
  }

  #fullName(name: string): string {
    return `${this.#options.kind} ${name}`;
  }
}
