/** A session of the web console. Only hashes of its tokens are stored. */
export interface StoredSession {
  readonly id: string;
  readonly accountId: string;
  /** The key that the session was opened with. The session has its scopes and limits, and ends with it. */
  readonly keyId: string;
  /** SHA-256 of the current token, in hex. */
  readonly tokenHash: string;
  readonly tokenCreatedAtMs: number;
  /** The hash before the last rotation. */
  readonly previousHash: string | undefined;
  /** Network address at login. */
  readonly source: string;
  /** The browser's name of itself at login, shortened. */
  readonly userAgent: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly lastUsedAtMs: number;
}

/** Persistent storage of sessions. */
export interface SessionStore {
  add(session: StoredSession): Promise<void>;
  /** The session whose current or previous token has this hash. */
  findByHash(hash: string): Promise<StoredSession | undefined>;
  /** Replaces the token if `expectedHash` is still the current one. */
  replaceToken(
    id: string,
    change: { readonly expectedHash: string; readonly tokenHash: string; readonly atMs: number },
  ): Promise<boolean>;
  recordUse(id: string, atMs: number): Promise<void>;
  /** The sessions of an account that expire after `nowMs`, newest first. */
  list(accountId: string, nowMs: number): Promise<readonly StoredSession[]>;
  /** Deletes a session of the account. False for an unknown id. */
  delete(id: string, accountId: string): Promise<boolean>;
  /** Deletes expired sessions of all accounts. */
  deleteExpired(nowMs: number): Promise<void>;
}
