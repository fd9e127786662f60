import type { Scope } from '../caller.ts';

/** A stored API key. The key itself is nowhere: only its hash is kept. */
export interface StoredKey {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** The public start of the key, by which it is found and shown. */
  readonly prefix: string;
  /** SHA-256 of the whole key, in hex. */
  readonly hash: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | undefined;
  readonly revokedAtMs: number | undefined;
  readonly lastUsedAtMs: number | undefined;
  readonly scopes: readonly Scope[];
  /** What its spending is counted under: its own id, or that of the key it replaced. */
  readonly meterId: string;
  readonly spendCapNano: number | undefined;
  readonly requestsPerMinute: number | undefined;
}

/** A key together with what its account says about it. */
export interface FoundKey extends StoredKey {
  readonly accountConcurrencyMax: number | undefined;
  readonly isAccountDeleted: boolean;
}

export interface StoredAccount {
  readonly id: string;
  readonly name: string;
  readonly createdAtMs: number;
  /** Names of the people in it. */
  readonly members: readonly string[];
  /** Requests at once; undefined: what its tier allows. */
  readonly concurrencyMax: number | undefined;
  /** Whether its speech is marked, inaudibly. */
  readonly isWatermarked: boolean;
  readonly deletedAtMs: number | undefined;
}

export type AccountChange = Partial<
  Pick<StoredAccount, 'name' | 'members' | 'concurrencyMax' | 'isWatermarked' | 'deletedAtMs'>
>;
export type KeyChange = Partial<
  Pick<StoredKey, 'name' | 'expiresAtMs' | 'scopes' | 'spendCapNano' | 'requestsPerMinute'>
>;

/** Where accounts and keys are kept. */
export interface KeyStore {
  /** Adds the account unless one with its id exists. */
  ensureAccount(account: Pick<StoredAccount, 'id' | 'name' | 'createdAtMs'>): Promise<void>;
  findAccount(id: string): Promise<StoredAccount | undefined>;
  /** All accounts, also deleted ones, oldest first. */
  listAccounts(): Promise<readonly StoredAccount[]>;
  changeAccount(id: string, change: AccountChange): Promise<void>;
  addKey(key: StoredKey): Promise<void>;
  findByPrefix(prefix: string): Promise<FoundKey | undefined>;
  /** All keys, of one account or of all, also expired and revoked ones, oldest first. */
  listKeys(accountId?: string): Promise<readonly StoredKey[]>;
  changeKey(id: string, change: KeyChange): Promise<void>;
  /** Revokes the key unless it is revoked already. False when there is no such key. */
  revoke(id: string, atMs: number): Promise<boolean>;
  /** Of these keys, those that are revoked, or expired by now. */
  findInvalid(
    ids: readonly string[],
    nowMs: number,
  ): Promise<ReadonlyMap<string, 'key_revoked' | 'key_expired'>>;
  recordUse(id: string, atMs: number): Promise<void>;
}
