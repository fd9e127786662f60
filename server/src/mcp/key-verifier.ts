import { createHash } from 'node:crypto';

/** Time for which the result of a verification is used. */
const VALID_MS = 60_000;
/** Maximum number of keys whose validity is known. */
const KNOWN_KEYS_MAX = 10_000;
const TIMEOUT_MS = 10_000;
/** A route that needs a key. Its scope does not matter: a key without it is refused with 403, and valid too. */
const KEY_PATH = '/wallet/self/api-credit';
const VALID_STATUSES = new Set([200, 403]);

/** Whether a key can be used. `unavailable`: the server does not answer. */
export type KeyState = 'valid' | 'invalid' | 'unavailable';

/** Verifies API keys with the Mynah server, and remembers the valid ones for a minute. */
export class KeyVerifier {
  readonly #baseUrl: string;
  /** End of the validity, by the hash of the key. The oldest entry comes first. */
  readonly #validUntilMs = new Map<string, number>();

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl.replace(/\/+$/, '');
  }

  /** Whether the key was valid within the last minute. */
  isKnown(key: string): boolean {
    const untilMs = this.#validUntilMs.get(hashOf(key));
    return untilMs !== undefined && untilMs > Date.now();
  }

  async verify(key: string): Promise<KeyState> {
    const status = await this.#request(key);
    if (status === 401) return 'invalid';
    if (status === undefined || !VALID_STATUSES.has(status)) return 'unavailable';
    const hash = hashOf(key);
    this.#validUntilMs.delete(hash);
    this.#validUntilMs.set(hash, Date.now() + VALID_MS);
    const [oldest] = this.#validUntilMs.keys();
    if (this.#validUntilMs.size > KNOWN_KEYS_MAX && oldest !== undefined) this.#validUntilMs.delete(oldest);
    return 'valid';
  }

  /** The status of the response; undefined without one. */
  async #request(key: string): Promise<number | undefined> {
    try {
      const response = await fetch(`${this.#baseUrl}${KEY_PATH}`, {
        headers: { authorization: `Bearer ${key}` },
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await response.body?.cancel();
      return response.status;
    } catch {
      return undefined;
    }
  }
}

function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('base64');
}
