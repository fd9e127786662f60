import type { KeyStore, StoredAccount, StoredKey } from './key-store.ts';

/** Keeps keys in memory, for tests, and counts how often it was asked. */
export class MemoryKeyStore implements KeyStore {
  readonly accounts = new Map<string, StoredAccount>();
  readonly keys = new Map<string, StoredKey>();
  lookups = 0;

  async ensureAccount(account: StoredAccount): Promise<void> {
    if (!this.accounts.has(account.id)) this.accounts.set(account.id, account);
  }

  async addKey(key: StoredKey): Promise<void> {
    this.keys.set(key.id, key);
  }

  async findByPrefix(prefix: string): Promise<StoredKey | undefined> {
    this.lookups += 1;
    return [...this.keys.values()].find((key) => key.prefix === prefix);
  }

  async listKeys(): Promise<readonly StoredKey[]> {
    return [...this.keys.values()];
  }

  async revoke(id: string, atMs: number): Promise<boolean> {
    return this.#change(id, (key) => ({ ...key, revokedAtMs: key.revokedAtMs ?? atMs }));
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
