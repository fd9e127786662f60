import type { Caller, Scope } from '../caller.ts';

/** What a key may do. */
export type KeyGrant = Pick<Caller, 'scopes' | 'spendCapNano' | 'requestsPerMinute' | 'concurrencyMax'>;

/** A stored API key. Only the hash of the key is stored. */
export interface StoredKey {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** The public start of the key, unique. Used for lookup and display. */
  readonly prefix: string;
  /** SHA-256 of the complete key, in hex. */
  readonly hash: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | undefined;
  readonly revokedAtMs: number | undefined;
  readonly lastUsedAtMs: number | undefined;
  readonly scopes: readonly Scope[];
  /** The meter that counts its spending: its own id, or the meter of its predecessor. */
  readonly meterId: string;
  readonly spendCapNano: number | undefined;
  readonly requestsPerMinute: number | undefined;
}

/** A key with the relevant properties of its account. */
export interface FoundKey extends StoredKey {
  readonly accountConcurrencyMax: number | undefined;
  readonly isAccountDeleted: boolean;
}

export interface StoredAccount {
  readonly id: string;
  readonly name: string;
  readonly createdAtMs: number;
  /** Names of the members. */
  readonly members: readonly string[];
  /** Concurrency limit; undefined: that of its tier. */
  readonly concurrencyMax: number | undefined;
  /** Whether its speech carries a watermark. */
  readonly isWatermarked: boolean;
  readonly deletedAtMs: number | undefined;
}

export type AccountChange = Partial<
  Pick<StoredAccount, 'name' | 'members' | 'concurrencyMax' | 'isWatermarked' | 'deletedAtMs'>
>;
export type KeyChange = Partial<
  Pick<StoredKey, 'name' | 'expiresAtMs' | 'scopes' | 'spendCapNano' | 'requestsPerMinute'>
>;

/** Persistent storage of accounts and keys. */
export interface KeyStore {
  /** Adds the account unless one with its id exists. */
  ensureAccount(account: Pick<StoredAccount, 'id' | 'name' | 'createdAtMs'>): Promise<void>;
  findAccount(id: string): Promise<StoredAccount | undefined>;
  /** All accounts, deleted ones included, oldest first. */
  listAccounts(): Promise<readonly StoredAccount[]>;
  changeAccount(id: string, change: AccountChange): Promise<void>;
  /** False when a key with this id exists. */
  addKey(key: StoredKey): Promise<boolean>;
  /** The key with this prefix, with its account, for authentication. */
  findByPrefix(prefix: string): Promise<FoundKey | undefined>;
  /** The key with this id or this prefix. */
  findKey(idOrPrefix: string): Promise<StoredKey | undefined>;
  hasKeys(): Promise<boolean>;
  /**
   * Adds the first key of the installation, once for all servers on the database. Calls `beforeCommit` before the key
   * is stored; no other server adds a first key meanwhile. False when the database has a key already.
   */
  addFirstKey(key: StoredKey, beforeCommit: () => Promise<void>): Promise<boolean>;
  /** The keys of one account or of all accounts, expired and revoked ones included, oldest first. */
  listKeys(accountId?: string): Promise<readonly StoredKey[]>;
  changeKey(id: string, change: KeyChange): Promise<void>;
  /** Revokes the key, keeping the time of an earlier revocation. False for an unknown id. */
  revoke(id: string, atMs: number): Promise<boolean>;
  /** The current grants of the keys among `ids`. */
  findGrants(ids: readonly string[]): Promise<ReadonlyMap<string, KeyGrant>>;
  /** The keys among `ids` that are revoked or expired, and the tenants of open mode that are deleted. */
  findInvalid(
    ids: readonly string[],
    nowMs: number,
  ): Promise<ReadonlyMap<string, 'key_revoked' | 'key_expired'>>;
  recordUse(id: string, atMs: number): Promise<void>;
}
