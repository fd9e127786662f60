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

export function createApiKeys({
  store,
  now = Date.now,
  cacheMs = KEY_CACHE_MS,
  isOpen = false,
  onRevoked = () => {},
}: ApiKeysOptions): ApiKeys {
  const cache = new Map<string, { readonly key: FoundKey; readonly untilMs: number }>();
  const useRecordedAtMs = new Map<string, number>();
  const pendingWrites = new Set<Promise<void>>();
  const tenants = new Map<string, { readonly caller: Caller | undefined; readonly untilMs: number }>();

  async function lookUp(presented: string): Promise<FoundKey | undefined> {
    const prefix = prefixOf(presented);
    if (prefix === undefined) return undefined;
    const hash = hashKey(presented);
    const cached = cache.get(hash);
    if (cached !== undefined && cached.untilMs > now()) return cached.key;

    cache.delete(hash);
    const stored = await store.findByPrefix(prefix);
    if (stored === undefined || !areEqualHashes(stored.hash, hash)) return undefined;
    if (cache.size >= CACHE_SIZE_MAX) cache.clear();
    cache.set(hash, { key: stored, untilMs: now() + cacheMs });
    return stored;
  }

  /** Records the time of last use, at most once per minute and key. */
  function recordUse(id: string): void {
    const atMs = now();
    if (atMs - (useRecordedAtMs.get(id) ?? Number.NEGATIVE_INFINITY) < USE_RECORD_INTERVAL_MS) return;
    useRecordedAtMs.set(id, atMs);
    const write = store
      .recordUse(id, atMs)
      .catch(() => {})
      .finally(() => pendingWrites.delete(write));
    pendingWrites.add(write);
  }

  /** A key of a deleted account counts as revoked. */
  function toCaller(key: FoundKey): Caller | KeyRefusal {
    if (key.revokedAtMs !== undefined || key.isAccountDeleted) return 'revoked';
    if (key.expiresAtMs !== undefined && key.expiresAtMs <= now()) return 'expired';
    recordUse(key.id);
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

  async function admitTenant(token: string): Promise<Caller | undefined> {
    const { name, caller } = deriveTenant(token);
    const cached = tenants.get(caller.accountId);
    if (cached !== undefined && cached.untilMs > now()) return cached.caller;

    await store.ensureAccount({ id: caller.accountId, name, createdAtMs: now() });
    const active = await findTenant(caller.accountId);
    if (tenants.size >= CACHE_SIZE_MAX) tenants.clear();
    tenants.set(caller.accountId, { caller: active, untilMs: now() + cacheMs });
    return active;
  }

  /** Undefined for a deleted tenant. */
  async function findTenant(id: string): Promise<Caller | undefined> {
    const account = await store.findAccount(id);
    if (account === undefined || account.deletedAtMs !== undefined) return undefined;
    return { ...tenantCaller(id), concurrencyMax: account.concurrencyMax };
  }

  async function add(
    details: Omit<KeyInfo, 'id' | 'prefix' | 'meterId'> & { meterId?: string },
    id = `key_${randomUUID().replaceAll('-', '')}`,
  ) {
    const { key, prefix, hash } = generateKey();
    const info: KeyInfo = { ...details, id, prefix, meterId: details.meterId ?? id };
    if (await store.addKey({ ...info, hash })) return { ...info, key };
    throw new ApiError(
      'idempotency_outcome_gone',
      `An earlier request with this Idempotency-Key has created the key ${id}, whose secret was not stored. Revoke it, and use a new Idempotency-Key.`,
    );
  }

  async function identify(presented: string): Promise<Caller | KeyRefusal> {
    const key = await lookUp(presented);
    if (key !== undefined) return toCaller(key);
    // A token in the format of a key is never a tenant: a revoked key must stay refused.
    const tenant = isOpen && prefixOf(presented) === undefined ? await admitTenant(presented) : undefined;
    return tenant ?? 'unknown';
  }

  return {
    create: ({
      id,
      accountId,
      name,
      expiresAtMs,
      scopes = DEFAULT_SCOPES,
      spendCapNano,
      requestsPerMinute,
    }) =>
      add(
        {
          accountId,
          name,
          createdAtMs: now(),
          expiresAtMs,
          revokedAtMs: undefined,
          lastUsedAtMs: undefined,
          scopes,
          spendCapNano,
          requestsPerMinute,
        },
        id,
      ),

    identify,

    async authenticate(presented) {
      return callerOrUndefined(await identify(presented));
    },

    async callerOf(keyId) {
      if (isOpen && isTenantId(keyId)) return findTenant(keyId);
      const stored = await store.findKey(keyId);
      const key = stored && (await store.findByPrefix(stored.prefix));
      return key && callerOrUndefined(toCaller(key));
    },

    async list(accountId) {
      return (await store.listKeys(accountId)).map(withoutHash);
    },

    async find(idOrPrefix) {
      const found = await store.findKey(idOrPrefix);
      return found && withoutHash(found);
    },

    async change(id, change) {
      cache.clear();
      await store.changeKey(id, change);
      cache.clear();
    },

    async rotate(idOrPrefix, graceMs, successorId) {
      const old = await store.findKey(idOrPrefix);
      if (old === undefined || old.revokedAtMs !== undefined) return undefined;
      const properties = { ...withoutHash(old), createdAtMs: now(), lastUsedAtMs: undefined };
      const successor = await add(properties, successorId);
      const endsAtMs = now() + graceMs;
      await store.changeKey(old.id, { expiresAtMs: Math.min(old.expiresAtMs ?? endsAtMs, endsAtMs) });
      cache.clear();
      return successor;
    },

    async revoke(idOrPrefix) {
      const found = await store.findKey(idOrPrefix);
      if (found === undefined) return undefined;
      await store.revoke(found.id, now());
      cache.clear();
      onRevoked(found.id);
      return withoutHash({ ...found, revokedAtMs: found.revokedAtMs ?? now() });
    },

    invalidate() {
      cache.clear();
      tenants.clear();
    },

    async close() {
      await Promise.all(pendingWrites);
    },
  };
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
