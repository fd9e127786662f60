import type { Selectable } from 'kysely';
import type { KeyStore, StoredKey } from '../keys/key-store.ts';
import type { Database } from './database.ts';
import type { Tables } from './schema.ts';

/** Accounts and keys in the database. */
export class SqlKeyStore implements KeyStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async ensureAccount(account: { id: string; name: string; createdAtMs: number }): Promise<void> {
    await this.#db
      .insertInto('account')
      .values({ id: account.id, name: account.name, created_at: account.createdAtMs })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
  }

  async addKey(key: StoredKey): Promise<void> {
    await this.#db
      .insertInto('api_key')
      .values({
        id: key.id,
        account_id: key.accountId,
        name: key.name,
        prefix: key.prefix,
        hash: key.hash,
        created_at: key.createdAtMs,
        expires_at: key.expiresAtMs ?? null,
        revoked_at: key.revokedAtMs ?? null,
        last_used_at: key.lastUsedAtMs ?? null,
      })
      .execute();
  }

  async findByPrefix(prefix: string): Promise<StoredKey | undefined> {
    const row = await this.#db
      .selectFrom('api_key')
      .selectAll()
      .where('prefix', '=', prefix)
      .executeTakeFirst();
    return row && toStoredKey(row);
  }

  async listKeys(): Promise<readonly StoredKey[]> {
    const rows = await this.#db
      .selectFrom('api_key')
      .selectAll()
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return rows.map(toStoredKey);
  }

  async revoke(id: string, atMs: number): Promise<boolean> {
    const revoked = await this.#db
      .updateTable('api_key')
      .set((expression) => ({ revoked_at: expression.fn.coalesce('revoked_at', expression.val(atMs)) }))
      .where('id', '=', id)
      .returning('id')
      .executeTakeFirst();
    return revoked !== undefined;
  }

  async recordUse(id: string, atMs: number): Promise<void> {
    await this.#db.updateTable('api_key').set({ last_used_at: atMs }).where('id', '=', id).execute();
  }
}

function toStoredKey(row: Selectable<Tables['api_key']>): StoredKey {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    prefix: row.prefix,
    hash: row.hash,
    createdAtMs: row.created_at,
    expiresAtMs: row.expires_at ?? undefined,
    revokedAtMs: row.revoked_at ?? undefined,
    lastUsedAtMs: row.last_used_at ?? undefined,
  };
}
