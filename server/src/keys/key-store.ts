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
}

export interface StoredAccount {
  readonly id: string;
  readonly name: string;
  readonly createdAtMs: number;
}

/** Where accounts and keys are kept. */
export interface KeyStore {
  /** Adds the account unless one with its id exists. */
  ensureAccount(account: StoredAccount): Promise<void>;
  addKey(key: StoredKey): Promise<void>;
  findByPrefix(prefix: string): Promise<StoredKey | undefined>;
  /** All keys, also expired and revoked ones, oldest first. */
  listKeys(): Promise<readonly StoredKey[]>;
  /** Revokes the key unless it is revoked already. False when there is no such key. */
  revoke(id: string, atMs: number): Promise<boolean>;
  recordUse(id: string, atMs: number): Promise<void>;
}
