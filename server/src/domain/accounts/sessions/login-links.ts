import { randomBytes } from 'node:crypto';
import { hashToken } from './token-hash.ts';

/** Time for which a login link can be used. */
export const LINK_LIFETIME_MS = 3_600_000;
const LINKS_MAX = 100;
const TOKEN_BYTES = 24;

/** One-time links that open a session of the web console. They live in memory and end with the process. */
export class LoginLinks {
  readonly #links = new Map<string, { readonly keyId: string; readonly expiresAtMs: number }>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Creates the token of a link that opens a session with this key. */
  create(keyId: string): string {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const oldest = this.#links.keys().next().value;
    if (this.#links.size >= LINKS_MAX && oldest !== undefined) this.#links.delete(oldest);
    this.#links.set(hashToken(token), { keyId, expiresAtMs: this.#now() + LINK_LIFETIME_MS });
    return token;
  }

  /** The key of the link, once. Undefined for an unknown, used or expired token. */
  redeem(token: string): string | undefined {
    const hash = hashToken(token);
    const link = this.#links.get(hash);
    this.#links.delete(hash);
    return link !== undefined && link.expiresAtMs > this.#now() ? link.keyId : undefined;
  }
}
