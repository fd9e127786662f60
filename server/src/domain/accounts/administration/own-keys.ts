import { ApiError } from '../../../errors.ts';
import type { Actor } from '../audit/audit-log.ts';
import type { Caller, Scope } from '../caller.ts';
import type { CreatedKey, CreateKeyInput, KeyInfo } from '../keys/api-keys.ts';
import type { Administration } from './administration.ts';

/** Maximum number of valid keys of an account that its own keys may create. */
export const OWN_KEYS_MAX = 100;

/** The same for all keys, revoked and replaced ones included: every call reads them. */
export const OWN_KEYS_STORED_MAX = 10_000;

export type OwnKeyInput = Omit<CreateKeyInput, 'accountId'>;

/**
 * The keys of an account, managed with a key of the same account. A key grants at most its own rights: only its own
 * scopes, and nothing while it has a limit or an expiry, which a new key would evade.
 */
export class OwnKeys {
  readonly #administration: Pick<Administration, 'listKeys' | 'createKey' | 'rotateKey' | 'revokeKey'>;
  readonly #now: () => number;

  constructor(
    administration: Pick<Administration, 'listKeys' | 'createKey' | 'rotateKey' | 'revokeKey'>,
    now: () => number = Date.now,
  ) {
    this.#administration = administration;
    this.#now = now;
  }

  list({ accountId }: Caller): Promise<readonly KeyInfo[]> {
    return this.#administration.listKeys(accountId);
  }

  /** Without scopes, the new key has those of the caller, except the right to manage keys. */
  async create(actor: Actor, caller: Caller, input: OwnKeyInput): Promise<CreatedKey> {
    const scopes = input.scopes ?? caller.scopes.filter((scope) => scope !== 'keys:write');
    assertHasScopes(caller, scopes);
    const keys = await this.list(caller);
    this.#assertIsUnlimited(caller, keys);
    assertHasRoom(keys);
    if (keys.filter((key) => this.#isValid(key)).length >= OWN_KEYS_MAX) {
      throw new ApiError('key_limit', `The account has ${OWN_KEYS_MAX} valid keys. Revoke one first.`);
    }
    return this.#administration.createKey(actor, { ...input, scopes, accountId: caller.accountId });
  }

  async rotate(
    actor: Actor,
    caller: Caller,
    idOrPrefix: string,
    rotation: { readonly graceMs: number; readonly successorId?: string | undefined },
  ): Promise<CreatedKey> {
    const keys = await this.list(caller);
    const key = requireKey(keys, idOrPrefix);
    assertHasScopes(caller, key.scopes);
    this.#assertIsUnlimited(caller, keys);
    assertHasRoom(keys);
    return this.#administration.rotateKey(actor, key.id, rotation);
  }

  async revoke(actor: Actor, caller: Caller, idOrPrefix: string): Promise<KeyInfo> {
    const key = requireKey(await this.list(caller), idOrPrefix);
    assertHasScopes(caller, key.scopes);
    return this.#administration.revokeKey(actor, key.id);
  }

  #assertIsUnlimited({ keyId }: Caller, keys: readonly KeyInfo[]): void {
    const own = requireKey(keys, keyId);
    const isLimited =
      own.spendCapNano !== undefined || own.requestsPerMinute !== undefined || own.expiresAtMs !== undefined;
    if (!isLimited) return;
    throw new ApiError('insufficient_scope', 'A key with a limit or an expiry cannot create other keys.');
  }

  #isValid({ revokedAtMs, expiresAtMs = Number.POSITIVE_INFINITY }: KeyInfo): boolean {
    return revokedAtMs === undefined && expiresAtMs > this.#now();
  }
}

function assertHasRoom(keys: readonly KeyInfo[]): void {
  if (keys.length < OWN_KEYS_STORED_MAX) return;
  throw new ApiError(
    'key_limit',
    `The account has had ${OWN_KEYS_STORED_MAX} keys. Ask the operator for a new one.`,
  );
}

function requireKey(keys: readonly KeyInfo[], idOrPrefix: string): KeyInfo {
  const key = keys.find(({ id, prefix }) => id === idOrPrefix || prefix === idOrPrefix);
  if (key === undefined) throw new ApiError('key_not_found', `The account has no key ${idOrPrefix}.`);
  return key;
}

function assertHasScopes(caller: Caller, scopes: readonly Scope[]): void {
  const missing = scopes.filter((scope) => !caller.scopes.includes(scope));
  if (missing.length === 0) return;
  throw new ApiError('insufficient_scope', `This API key lacks the scopes: ${missing.join(', ')}.`);
}
