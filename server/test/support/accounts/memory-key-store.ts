import type {
  AccountChange,
  FoundKey,
  KeyChange,
  KeyStore,
  StoredAccount,
  StoredKey,
} from '../../../src/domain/accounts/keys/key-store.ts';

/** A key store in memory that counts its lookups. */
export class MemoryKeyStore implements KeyStore {
  readonly accounts = new Map<string, StoredAccount>();
  readonly keys = new Map<string, StoredKey>();
  lookups = 0;

  async ensureAccount(account: Pick<StoredAccount, 'id' | 'name' | 'createdAtMs'>): Promise<void> {
    if (this.accounts.has(account.id)) return;
    const added = {
      ...account,
      members: [],
      isWatermarked: false,
      concurrencyMax: undefined,
      deletedAtMs: undefined,
    };
    this.accounts.set(account.id, added);
  }

  async findAccount(id: string): Promise<StoredAccount | undefined> {
    return this.accounts.get(id);
  }

  async listAccounts(): Promise<readonly StoredAccount[]> {
    return [...this.accounts.values()];
  }

  async changeAccount(id: string, change: AccountChange): Promise<void> {
    const account = this.accounts.get(id);
    if (account !== undefined) this.accounts.set(id, { ...account, ...change });
  }

  async addKey(key: StoredKey): Promise<boolean> {
    if (this.keys.has(key.id)) return false;
    this.keys.set(key.id, key);
    return true;
  }

  async findByPrefix(prefix: string): Promise<FoundKey | undefined> {
    this.lookups += 1;
    const key = [...this.keys.values()].find((candidate) => candidate.prefix === prefix);
    const account = key && this.accounts.get(key.accountId);
    return (
      key && {
        ...key,
        accountConcurrencyMax: account?.concurrencyMax,
        isAccountDeleted: account?.deletedAtMs !== undefined,
      }
    );
  }

  async findKey(idOrPrefix: string): Promise<StoredKey | undefined> {
    return [...this.keys.values()].find(({ id, prefix }) => id === idOrPrefix || prefix === idOrPrefix);
  }

  async addFirstKey(key: StoredKey, beforeCommit: () => Promise<void>): Promise<boolean> {
    if (this.keys.size > 0) return false;
    this.keys.set(key.id, key);
    await beforeCommit();
    return true;
  }

  async hasKeys(): Promise<boolean> {
    return this.keys.size > 0;
  }

  async listKeys(accountId?: string): Promise<readonly StoredKey[]> {
    return [...this.keys.values()].filter((key) => accountId === undefined || key.accountId === accountId);
  }

  async changeKey(id: string, change: KeyChange): Promise<void> {
    this.#change(id, (key) => ({ ...key, ...change }));
  }

  async revoke(id: string, atMs: number): Promise<boolean> {
    return this.#change(id, (key) => ({ ...key, revokedAtMs: key.revokedAtMs ?? atMs }));
  }

  async findInvalid(ids: readonly string[], nowMs: number) {
    const found = ids.flatMap((id) => this.keys.get(id) ?? []);
    const invalid = found.filter(
      ({ revokedAtMs, expiresAtMs }) => revokedAtMs !== undefined || (expiresAtMs ?? Infinity) <= nowMs,
    );
    const deleted = ids.filter((id) => this.accounts.get(id)?.deletedAtMs !== undefined);
    return new Map([
      ...invalid.map(
        (key) => [key.id, key.revokedAtMs === undefined ? 'key_expired' : 'key_revoked'] as const,
      ),
      ...deleted.map((id) => [id, 'key_revoked'] as const),
    ]);
  }

  async findGrants(ids: readonly string[]) {
    const found = ids.flatMap((id) => this.keys.get(id) ?? []);
    return new Map(
      found.map(({ id, accountId, scopes, spendCapNano, requestsPerMinute }) => {
        const concurrencyMax = this.accounts.get(accountId)?.concurrencyMax;
        return [id, { scopes, spendCapNano, requestsPerMinute, concurrencyMax }];
      }),
    );
  }

  async recordUse(id: string, atMs: number): Promise<void> {
    this.#change(id, (key) => ({ ...key, lastUsedAtMs: atMs }));
  }

  #change(id: string, change: (key: StoredKey) => StoredKey): boolean {
    const key = this.keys.get(id);
    if (key !== undefined) this.keys.set(id, change(key));
    return key !== undefined;
  }
}
