import { randomUUID, timingSafeEqual } from 'node:crypto';
import { generateKey, hashKey, prefixOf } from './key-format.ts';
import type { KeyStore, StoredKey } from './key-store.ts';

/** Who a request acts for. */
export interface Caller {
  readonly accountId: string;
  readonly keyId: string;
}

export interface CreateKeyInput {
  readonly accountId: string;
  readonly name: string;
  readonly expiresAtMs?: number | undefined;
}

/** A key as it may be shown: everything but the key. */
export type KeyInfo = Omit<StoredKey, 'hash'>;

/** The only time the key itself can be seen. */
export interface CreatedKey extends KeyInfo {
  readonly key: string;
}

/** Creates, checks and revokes API keys. */
export interface ApiKeys {
  create(input: CreateKeyInput): Promise<CreatedKey>;
  /** Undefined for a key that is unknown, expired or revoked. A revoked key may work for `cacheMs` more. */
  authenticate(key: string): Promise<Caller | undefined>;
  list(): Promise<readonly KeyInfo[]>;
  /** Takes an id or a prefix. False when there is no such key. */
  revoke(idOrPrefix: string): Promise<boolean>;
  /** Waits for notes of use that are still being written. */
  close(): Promise<void>;
}

export interface ApiKeysOptions {
  readonly store: KeyStore;
  readonly now?: () => number;
  /** How long a checked key is trusted without asking the store again. */
  readonly cacheMs?: number;
}

const CACHE_SIZE_MAX = 10_000;
const USE_NOTE_INTERVAL_MS = 60_000;

export function createApiKeys({ store, now = Date.now, cacheMs = 10_000 }: ApiKeysOptions): ApiKeys {
  const checked = new Map<string, { readonly key: StoredKey; readonly untilMs: number }>();
  const notedAtMs = new Map<string, number>();
  const notes = new Set<Promise<void>>();

  async function find(presented: string): Promise<StoredKey | undefined> {
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

  return {
    async create({ accountId, name, expiresAtMs }) {
      const { key, prefix, hash } = generateKey();
      const info: KeyInfo = {
        id: `key_${randomUUID().replaceAll('-', '')}`,
        accountId,
        name,
        prefix,
        createdAtMs: now(),
        expiresAtMs,
        revokedAtMs: undefined,
        lastUsedAtMs: undefined,
      };
      await store.addKey({ ...info, hash });
      return { ...info, key };
    },

    async authenticate(presented) {
      const key = await find(presented);
      if (key === undefined || key.revokedAtMs !== undefined) return undefined;
      if (key.expiresAtMs !== undefined && key.expiresAtMs <= now()) return undefined;
      noteUse(key.id);
      return { accountId: key.accountId, keyId: key.id };
    },

    async list() {
      return (await store.listKeys()).map(({ hash: _, ...info }) => info);
    },

    async revoke(idOrPrefix) {
      checked.clear();
      const keys = await store.listKeys();
      const found = keys.find(({ id, prefix }) => id === idOrPrefix || prefix === idOrPrefix);
      return found !== undefined && store.revoke(found.id, now());
    },

    async close() {
      await Promise.all(notes);
    },
  };
}

function areEqualHashes(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
