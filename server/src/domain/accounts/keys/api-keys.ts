import { randomUUID, timingSafeEqual } from 'node:crypto';
import { ApiError } from '../../../errors.ts';
import { type Caller, DEFAULT_SCOPES, type Scope } from '../caller.ts';
import { generateKey, hashKey, prefixOf } from './key-format.ts';
import type { FoundKey, KeyChange, KeyStore, StoredKey } from './key-store.ts';
import { deriveTenant, isTenantId, tenantCaller } from './open-mode-tenants.ts';

export interface CreateKeyInput {
  /** Given when the creation may be repeated; otherwise random. */
  readonly id?: string | undefined;
  readonly accountId: string;
  readonly name: string;
  readonly expiresAtMs?: number | undefined;
  /** Absent: everything but `admin`. */
  readonly scopes?: readonly Scope[] | undefined;
  readonly spendCapNano?: number | undefined;
  readonly requestsPerMinute?: number | undefined;
}

/** A key without its secret. */
export type KeyInfo = Omit<StoredKey, 'hash'>;

/** A new key. Its secret is available only here. */
export interface CreatedKey extends KeyInfo {
  readonly key: string;
}

/** Why a key is refused. `unknown` also for a wrong secret, which must not reveal that the key exists. */
export type KeyRefusal = 'unknown' | 'expired' | 'revoked';

/** Creates, authenticates, rotates and revokes API keys. */
export interface ApiKeys {
  /** Throws `idempotency_outcome_gone` when a key with the given id exists: its secret cannot be shown again. */
  create(input: CreateKeyInput): Promise<CreatedKey>;
  /** The caller, or why the key is refused, by one query. A key that another process revokes works for up to `cacheMs`. */
  identify(key: string): Promise<Caller | KeyRefusal>;
  /** The caller. Undefined for a key that is refused. */
  authenticate(key: string): Promise<Caller | undefined>;
  /** The caller of a key that is known by its id. Undefined for an unknown, expired or revoked key. */
  callerOf(keyId: string): Promise<Caller | undefined>;
  list(accountId?: string): Promise<readonly KeyInfo[]>;
  find(idOrPrefix: string): Promise<KeyInfo | undefined>;
  change(id: string, change: KeyChange): Promise<void>;
  /**
   * Creates a successor, with this id if it is given as for `create`; the old key works for another `graceMs`. Undefined
   * for an unknown or revoked key.
   */
  rotate(idOrPrefix: string, graceMs: number, successorId?: string): Promise<CreatedKey | undefined>;
  /** Returns the revoked key. Undefined for an unknown key. */
  revoke(idOrPrefix: string): Promise<KeyInfo | undefined>;
  /** Discards cached keys and tenants, because another process may have changed them. */
  invalidate(): void;
  /** Waits for pending writes of the time of last use. */
  close(): Promise<void>;
}

export interface ApiKeysOptions {
  readonly store: KeyStore;
  readonly now?: () => number;
  /** Time for which an authenticated key is cached. */
  readonly cacheMs?: number;
  /** Open mode: every token that is not in the format of a key is a tenant. */
  readonly isOpen?: boolean;
  /** Called after a key was revoked through this instance. */
  readonly onRevoked?: (keyId: string) => void;
}

/** Maximum time for which a key still works after another process has revoked it. */
export const KEY_CACHE_MS = 1000;
const CACHE_SIZE_MAX = 10_000;
const USE_RECORD_INTERVAL_MS = 60_000;

/** Opens the keys of a store. */
export function createApiKeys(options: ApiKeysOptions): ApiKeys {
  return new CachedApiKeys(options);
}

/** API keys over a store. Authenticated keys and tenants are cached. */
class CachedApiKeys implements ApiKeys {
  readonly #store: KeyStore;
  readonly #now: () => number;
  readonly #cacheMs: number;
  readonly #isOpen: boolean;
  readonly #onRevoked: (keyId: string) => void;
  readonly #cache = new Map<string, { readonly key: FoundKey; readonly untilMs: number }>();
  readonly #tenants = new Map<string, { readonly caller: Caller | undefined; readonly untilMs: number }>();
  readonly #useRecordedAtMs = new Map<string, number>();
  readonly #pendingWrites = new Set<Promise<void>>();

  constructor({
    store,
    now = Date.now,
    cacheMs = KEY_CACHE_MS,
    isOpen = false,
    onRevoked = () => {},
  }: ApiKeysOptions) {
    this.#store = store;
    this.#now = now;
    this.#cacheMs = cacheMs;
    this.#isOpen = isOpen;
    this.#onRevoked = onRevoked;
  }

  create({ id, scopes = DEFAULT_SCOPES, ...input }: CreateKeyInput): Promise<CreatedKey> {
    const { accountId, name, expiresAtMs, spendCapNano, requestsPerMinute } = input;
    const details = {
      accountId,
      name,
      createdAtMs: this.#now(),
      expiresAtMs,
      revokedAtMs: undefined,
      lastUsedAtMs: undefined,
      scopes,
      spendCapNano,
      requestsPerMinute,
    };
    return this.#add(details, id);
  }

  async identify(presented: string): Promise<Caller | KeyRefusal> {
    const key = await this.#lookUp(presented);
    if (key !== undefined) return this.#toCaller(key);
    // A token in the format of a key is never a tenant: a revoked key must stay refused.
    const mayBeTenant = this.#isOpen && prefixOf(presented) === undefined;
    const tenant = mayBeTenant ? await this.#admitTenant(presented) : undefined;
    return tenant ?? 'unknown';
  }

  async authenticate(presented: string): Promise<Caller | undefined> {
    return callerOrUndefined(await this.identify(presented));
  }

  async callerOf(keyId: string): Promise<Caller | undefined> {
    if (this.#isOpen && isTenantId(keyId)) return this.#findTenant(keyId);
    const stored = await this.#store.findKey(keyId);
    const key = stored && (await this.#store.findByPrefix(stored.prefix));
    return key && callerOrUndefined(this.#toCaller(key));
  }

  async list(accountId?: string): Promise<readonly KeyInfo[]> {
    return (await this.#store.listKeys(accountId)).map(withoutHash);
  }

  async find(idOrPrefix: string): Promise<KeyInfo | undefined> {
    const found = await this.#store.findKey(idOrPrefix);
    return found && withoutHash(found);
  }

  async change(id: string, change: KeyChange): Promise<void> {
    this.#cache.clear();
    await this.#store.changeKey(id, change);
    this.#cache.clear();
  }

  async rotate(idOrPrefix: string, graceMs: number, successorId?: string): Promise<CreatedKey | undefined> {
    const old = await this.#store.findKey(idOrPrefix);
    if (old === undefined || old.revokedAtMs !== undefined) return undefined;
    const properties = { ...withoutHash(old), createdAtMs: this.#now(), lastUsedAtMs: undefined };
    const successor = await this.#add(properties, successorId);
    const endsAtMs = this.#now() + graceMs;
    await this.#store.changeKey(old.id, { expiresAtMs: Math.min(old.expiresAtMs ?? endsAtMs, endsAtMs) });
    this.#cache.clear();
    return successor;
  }

  async revoke(idOrPrefix: string): Promise<KeyInfo | undefined> {
    const found = await this.#store.findKey(idOrPrefix);
    if (found === undefined) return undefined;
    await this.#store.revoke(found.id, this.#now());
    this.#cache.clear();
    this.#onRevoked(found.id);
    return withoutHash({ ...found, revokedAtMs: found.revokedAtMs ?? this.#now() });
  }

  invalidate(): void {
    this.#cache.clear();
    this.#tenants.clear();
  }

  async close(): Promise<void> {
    await Promise.all(this.#pendingWrites);
  }

  async #lookUp(presented: string): Promise<FoundKey | undefined> {
    const prefix = prefixOf(presented);
    if (prefix === undefined) return undefined;
    const hash = hashKey(presented);
    const cached = this.#cache.get(hash);
    if (cached !== undefined && cached.untilMs > this.#now()) return cached.key;

    this.#cache.delete(hash);
    const stored = await this.#store.findByPrefix(prefix);
    if (stored === undefined || !areEqualHashes(stored.hash, hash)) return undefined;
    if (this.#cache.size >= CACHE_SIZE_MAX) this.#cache.clear();
    this.#cache.set(hash, { key: stored, untilMs: this.#now() + this.#cacheMs });
    return stored;
  }

  /** A key of a deleted account counts as revoked. */
  #toCaller(key: FoundKey): Caller | KeyRefusal {
    if (key.revokedAtMs !== undefined || key.isAccountDeleted) return 'revoked';
    if (key.expiresAtMs !== undefined && key.expiresAtMs <= this.#now()) return 'expired';
    this.#recordUse(key.id);
    return {
      accountId: key.accountId,
      keyId: key.id,
      scopes: key.scopes,
      meterId: key.meterId,
      spendCapNano: key.spendCapNano,
      requestsPerMinute: key.requestsPerMinute,
      concurrencyMax: key.accountConcurrencyMax,
    };
  }

  /** Records the time of last use, at most once per minute and key. */
  #recordUse(id: string): void {
    const atMs = this.#now();
    if (atMs - (this.#useRecordedAtMs.get(id) ?? Number.NEGATIVE_INFINITY) < USE_RECORD_INTERVAL_MS) return;
    this.#useRecordedAtMs.set(id, atMs);
    const write = this.#store
      .recordUse(id, atMs)
      .catch(() => {})
      .finally(() => this.#pendingWrites.delete(write));
    this.#pendingWrites.add(write);
  }

  async #admitTenant(token: string): Promise<Caller | undefined> {
    const { name, caller } = deriveTenant(token);
    const cached = this.#tenants.get(caller.accountId);
    if (cached !== undefined && cached.untilMs > this.#now()) return cached.caller;

    await this.#store.ensureAccount({ id: caller.accountId, name, createdAtMs: this.#now() });
    const active = await this.#findTenant(caller.accountId);
    if (this.#tenants.size >= CACHE_SIZE_MAX) this.#tenants.clear();
    this.#tenants.set(caller.accountId, { caller: active, untilMs: this.#now() + this.#cacheMs });
    return active;
  }

  /** Undefined for a deleted tenant. */
  async #findTenant(id: string): Promise<Caller | undefined> {
    const account = await this.#store.findAccount(id);
    if (account === undefined || account.deletedAtMs !== undefined) return undefined;
    return { ...tenantCaller(id), concurrencyMax: account.concurrencyMax };
  }

  async #add(
    details: Omit<KeyInfo, 'id' | 'prefix' | 'meterId'> & { meterId?: string },
    id = `key_${randomUUID().replaceAll('-', '')}`,
  ): Promise<CreatedKey> {
    const { key, prefix, hash } = generateKey();
    const info: KeyInfo = { ...details, id, prefix, meterId: details.meterId ?? id };
    if (await this.#store.addKey({ ...info, hash })) return { ...info, key };
    throw new ApiError(
      'idempotency_outcome_gone',
      `An earlier request with this Idempotency-Key has created the key ${id}, whose secret was not stored. Revoke it, and use a new Idempotency-Key.`,
    );
  }
}

function callerOrUndefined(identity: Caller | KeyRefusal): Caller | undefined {
  return typeof identity === 'string' ? undefined : identity;
}

function withoutHash({ hash: _, ...info }: StoredKey): KeyInfo {
  return info;
}

function areEqualHashes(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
