import { randomUUID, timingSafeEqual } from 'node:crypto';
import { type Caller, type Scope, USUAL_SCOPES } from '../caller.ts';
import { generateKey, hashKey, prefixOf } from './key-format.ts';
import type { FoundKey, KeyChange, KeyStore, StoredKey } from './key-store.ts';
import { tenantOf } from './open-tenants.ts';

export interface CreateKeyInput {
  readonly accountId: string;
  readonly name: string;
  readonly expiresAtMs?: number | undefined;
  /** Absent: everything but `admin`. */
  readonly scopes?: readonly Scope[] | undefined;
  readonly spendCapNano?: number | undefined;
  readonly requestsPerMinute?: number | undefined;
}

/** A key as it may be shown: everything but the key. */
export type KeyInfo = Omit<StoredKey, 'hash'>;

/** The only time the key itself can be seen. */
export interface CreatedKey extends KeyInfo {
  readonly key: string;
}

/** Creates, checks, rotates and revokes API keys. */
export interface ApiKeys {
  create(input: CreateKeyInput): Promise<CreatedKey>;
  /** Undefined for a key that is unknown, expired or revoked. One revoked elsewhere may work for `cacheMs` more. */
  authenticate(key: string): Promise<Caller | undefined>;
  list(accountId?: string): Promise<readonly KeyInfo[]>;
  /** Takes an id or a prefix. */
  find(idOrPrefix: string): Promise<KeyInfo | undefined>;
  change(id: string, change: KeyChange): Promise<void>;
  /** Makes a key like the one named, which works for `graceMs` more. Undefined when there is no such key. */
  rotate(idOrPrefix: string, graceMs: number): Promise<CreatedKey | undefined>;
  /** Takes an id or a prefix. The key that is revoked now, or was before; undefined when there is no such key. */
  revoke(idOrPrefix: string): Promise<KeyInfo | undefined>;
  /** Waits for notes of use that are still being written. */
  close(): Promise<void>;
}

export interface ApiKeysOptions {
  readonly store: KeyStore;
  readonly now?: () => number;
  /** How long a checked key is trusted without asking the store again. */
  readonly cacheMs?: number;
  /** Every token that is not a key of ours is a tenant's name. */
  readonly isOpen?: boolean;
  /** Hears of keys that are revoked here. */
  readonly onRevoked?: (keyId: string) => void;
}

/** How long a key that was revoked by another process may go on working. */
export const KEY_CACHE_MS = 1000;
const CACHE_SIZE_MAX = 10_000;
const USE_NOTE_INTERVAL_MS = 60_000;

export function createApiKeys({
  store,
  now = Date.now,
  cacheMs = KEY_CACHE_MS,
  isOpen = false,
  onRevoked = () => {},
}: ApiKeysOptions): ApiKeys {
  const checked = new Map<string, { readonly key: FoundKey; readonly untilMs: number }>();
  const notedAtMs = new Map<string, number>();
  const notes = new Set<Promise<void>>();
  const tenants = new Set<string>();

  async function lookUp(presented: string): Promise<FoundKey | undefined> {
    const prefix = prefixOf(presented);
    if (prefix === undefined) return undefined;
    const hash = hashKey(presented);
    const cached = checked.get(hash);
    if (cached !== undefined && cached.untilMs > now()) return cached.key;

    checked.delete(hash);
    const stored = await store.findByPrefix(prefix);
    if (stored === undefined || !areEqualHashes(stored.hash, hash)) return undefined;
    if (checked.size >= CACHE_SIZE_MAX) checked.clear();
    checked.set(hash, { key: stored, untilMs: now() + cacheMs });
    return stored;
  }

  async function find(idOrPrefix: string): Promise<StoredKey | undefined> {
    return (await store.listKeys()).find(({ id, prefix }) => id === idOrPrefix || prefix === idOrPrefix);
  }

  // A note per minute tells an operator what is in use, and costs a busy key nothing.
  function noteUse(id: string): void {
    const atMs = now();
    if (atMs - (notedAtMs.get(id) ?? Number.NEGATIVE_INFINITY) < USE_NOTE_INTERVAL_MS) return;
    notedAtMs.set(id, atMs);
    const note = store
      .recordUse(id, atMs)
      .catch(() => {})
      .finally(() => notes.delete(note));
    notes.add(note);
  }

  async function admitTenant(token: string): Promise<Caller> {
    const { name, caller } = tenantOf(token);
    if (!tenants.has(caller.accountId)) {
      await store.ensureAccount({ id: caller.accountId, name, createdAtMs: now() });
      if (tenants.size >= CACHE_SIZE_MAX) tenants.clear();
      tenants.add(caller.accountId);
    }
    return caller;
  }

  async function add(details: Omit<KeyInfo, 'id' | 'prefix' | 'meterId'> & { meterId?: string }) {
    const { key, prefix, hash } = generateKey();
    const id = `key_${randomUUID().replaceAll('-', '')}`;
    const info: KeyInfo = { ...details, id, prefix, meterId: details.meterId ?? id };
    await store.addKey({ ...info, hash });
    return { ...info, key };
  }

  return {
    create: ({ accountId, name, expiresAtMs, scopes = USUAL_SCOPES, spendCapNano, requestsPerMinute }) =>
      add({
        accountId,
        name,
        createdAtMs: now(),
        expiresAtMs,
        revokedAtMs: undefined,
        lastUsedAtMs: undefined,
        scopes,
        spendCapNano,
        requestsPerMinute,
      }),

    async authenticate(presented) {
      const key = await lookUp(presented);
      if (key === undefined) {
        // What looks like a key of ours is one, or nothing: a revoked key must not come back as a tenant.
        return isOpen && prefixOf(presented) === undefined ? admitTenant(presented) : undefined;
      }
      if (key.revokedAtMs !== undefined || key.isAccountDeleted) return undefined;
      if (key.expiresAtMs !== undefined && key.expiresAtMs <= now()) return undefined;
      noteUse(key.id);
      return {
        accountId: key.accountId,
        keyId: key.id,
        scopes: key.scopes,
        meterId: key.meterId,
        spendCapNano: key.spendCapNano,
        requestsPerMinute: key.requestsPerMinute,
        concurrencyMax: key.accountConcurrencyMax,
      };
    },

    async list(accountId) {
      return (await store.listKeys(accountId)).map(withoutHash);
    },

    async find(idOrPrefix) {
      const found = await find(idOrPrefix);
      return found && withoutHash(found);
    },

    async change(id, change) {
      checked.clear();
      await store.changeKey(id, change);
      checked.clear();
    },

    async rotate(idOrPrefix, graceMs) {
      const old = await find(idOrPrefix);
      if (old === undefined || old.revokedAtMs !== undefined) return undefined;
      const successor = await add({ ...withoutHash(old), createdAtMs: now(), lastUsedAtMs: undefined });
      const endsAtMs = now() + graceMs;
      await store.changeKey(old.id, { expiresAtMs: Math.min(old.expiresAtMs ?? endsAtMs, endsAtMs) });
      checked.clear();
      return successor;
    },

    async revoke(idOrPrefix) {
      const found = await find(idOrPrefix);
      if (found === undefined) return undefined;
      await store.revoke(found.id, now());
      checked.clear();
      onRevoked(found.id);
      return withoutHash({ ...found, revokedAtMs: found.revokedAtMs ?? now() });
    },

    async close() {
      await Promise.all(notes);
    },
  };
}

function withoutHash({ hash: _, ...info }: StoredKey): KeyInfo {
  return info;
}

function areEqualHashes(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
