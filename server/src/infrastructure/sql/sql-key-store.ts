import type { Insertable, Selectable } from 'kysely';
import { SCOPES, type Scope } from '../../domain/accounts/caller.ts';
import type {
  AccountChange,
  FoundKey,
  KeyChange,
  KeyGrant,
  KeyStore,
  StoredAccount,
  StoredKey,
} from '../../domain/accounts/keys/key-store.ts';
import type { Database } from './database.ts';
import type { Tables } from './schema.ts';

/** The row that a server locks while it creates the first key. */
const FIRST_KEY_LOCK = 'first-key';

/** Accounts and API keys. */
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

  async findAccount(id: string): Promise<StoredAccount | undefined> {
    const row = await this.#db.selectFrom('account').selectAll().where('id', '=', id).executeTakeFirst();
    return row && toStoredAccount(row);
  }

  async listAccounts(): Promise<readonly StoredAccount[]> {
    const rows = await this.#db
      .selectFrom('account')
      .selectAll()
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return rows.map(toStoredAccount);
  }

  async changeAccount(id: string, change: AccountChange): Promise<void> {
    const columns = {
      ...(change.name !== undefined && { name: change.name }),
      ...(change.members !== undefined && { members: JSON.stringify(change.members) }),
      ...('concurrencyMax' in change && { concurrency_max: change.concurrencyMax ?? null }),
      ...(change.isWatermarked !== undefined && { watermark: change.isWatermarked ? 1 : 0 }),
      ...(change.deletedAtMs !== undefined && { deleted_at: change.deletedAtMs }),
    };
    if (isEmpty(columns)) return;
    await this.#db.updateTable('account').set(columns).where('id', '=', id).execute();
  }

  async addKey(key: StoredKey): Promise<boolean> {
    const added = await this.#db
      .insertInto('api_key')
      .values(toKeyRow(key))
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .executeTakeFirst();
    return added !== undefined;
  }

  addFirstKey(key: StoredKey, beforeCommit: () => Promise<void>): Promise<boolean> {
    return this.#db.transaction().execute(async (tx) => {
      // Of concurrent servers, one locks the row and the others wait for the end of its transaction.
      await tx
        .insertInto('secret')
        .values({ name: FIRST_KEY_LOCK, value: '' })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: '' }))
        .execute();
      const known = await tx.selectFrom('api_key').select('id').limit(1).executeTakeFirst();
      if (known !== undefined) return false;
      await beforeCommit();
      await tx.insertInto('api_key').values(toKeyRow(key)).execute();
      return true;
    });
  }

  async findByPrefix(prefix: string): Promise<FoundKey | undefined> {
    const row = await this.#db
      .selectFrom('api_key')
      .innerJoin('account', 'account.id', 'api_key.account_id')
      .selectAll('api_key')
      .select(['account.concurrency_max', 'account.deleted_at'])
      .where('prefix', '=', prefix)
      .executeTakeFirst();
    return (
      row && {
        ...toStoredKey(row),
        accountConcurrencyMax: row.concurrency_max ?? undefined,
        isAccountDeleted: row.deleted_at !== null,
      }
    );
  }

  async findKey(idOrPrefix: string): Promise<StoredKey | undefined> {
    // Both columns have a unique index.
    const row = await this.#db
      .selectFrom('api_key')
      .selectAll()
      .where((where) => where.or([where('id', '=', idOrPrefix), where('prefix', '=', idOrPrefix)]))
      .executeTakeFirst();
    return row && toStoredKey(row);
  }

  async hasKeys(): Promise<boolean> {
    const row = await this.#db.selectFrom('api_key').select('id').limit(1).executeTakeFirst();
    return row !== undefined;
  }

  async listKeys(accountId?: string): Promise<readonly StoredKey[]> {
    let query = this.#db.selectFrom('api_key').selectAll().orderBy('created_at').orderBy('id');
    if (accountId !== undefined) query = query.where('account_id', '=', accountId);
    return (await query.execute()).map(toStoredKey);
  }

  async changeKey(id: string, change: KeyChange): Promise<void> {
    const columns = {
      ...(change.name !== undefined && { name: change.name }),
      ...(change.scopes !== undefined && { scopes: change.scopes.join(' ') }),
      ...('expiresAtMs' in change && { expires_at: change.expiresAtMs ?? null }),
      ...('spendCapNano' in change && { spend_cap: change.spendCapNano ?? null }),
      ...('requestsPerMinute' in change && { requests_per_minute: change.requestsPerMinute ?? null }),
    };
    if (isEmpty(columns)) return;
    await this.#db.updateTable('api_key').set(columns).where('id', '=', id).execute();
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

  async findInvalid(ids: readonly string[], nowMs: number) {
    const rows = await this.#db
      .selectFrom('api_key')
      .select(['id', 'revoked_at'])
      .where('id', 'in', ids)
      .where((where) => where.or([where('revoked_at', 'is not', null), where('expires_at', '<=', nowMs)]))
      .execute();
    // A tenant of open mode has no key; its id is that of its account.
    const deleted = await this.#db
      .selectFrom('account')
      .select('id')
      .where('id', 'in', ids)
      .where('deleted_at', 'is not', null)
      .execute();
    return new Map([
      ...rows.map((row) => [row.id, row.revoked_at === null ? 'key_expired' : 'key_revoked'] as const),
      ...deleted.map(({ id }) => [id, 'key_revoked'] as const),
    ]);
  }

  async findGrants(ids: readonly string[]): Promise<ReadonlyMap<string, KeyGrant>> {
    const rows = await this.#db
      .selectFrom('api_key')
      .innerJoin('account', 'account.id', 'api_key.account_id')
      .selectAll('api_key')
      .select('account.concurrency_max')
      .where('api_key.id', 'in', ids)
      .execute();
    return new Map(
      rows.map((row) => {
        const { id, scopes, spendCapNano, requestsPerMinute } = toStoredKey(row);
        const concurrencyMax = row.concurrency_max ?? undefined;
        return [id, { scopes, spendCapNano, requestsPerMinute, concurrencyMax }];
      }),
    );
  }

  async recordUse(id: string, atMs: number): Promise<void> {
    await this.#db.updateTable('api_key').set({ last_used_at: atMs }).where('id', '=', id).execute();
  }
}

function toKeyRow(key: StoredKey): Insertable<Tables['api_key']> {
  return {
    id: key.id,
    account_id: key.accountId,
    name: key.name,
    prefix: key.prefix,
    hash: key.hash,
    created_at: key.createdAtMs,
    expires_at: key.expiresAtMs ?? null,
    revoked_at: key.revokedAtMs ?? null,
    last_used_at: key.lastUsedAtMs ?? null,
    scopes: key.scopes.join(' '),
    meter_id: key.meterId,
    spend_cap: key.spendCapNano ?? null,
    requests_per_minute: key.requestsPerMinute ?? null,
  };
}

/** An update without columns is not valid SQL. */
function isEmpty(columns: object): boolean {
  return Object.keys(columns).length === 0;
}

function toStoredAccount(row: Selectable<Tables['account']>): StoredAccount {
  return {
    id: row.id,
    name: row.name,
    createdAtMs: row.created_at,
    members: JSON.parse(row.members) as string[],
    concurrencyMax: row.concurrency_max ?? undefined,
    isWatermarked: row.watermark !== 0,
    deletedAtMs: row.deleted_at ?? undefined,
  };
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
    scopes: row.scopes.split(' ').filter((scope): scope is Scope => SCOPES.includes(scope as Scope)),
    meterId: row.meter_id ?? row.id,
    spendCapNano: row.spend_cap ?? undefined,
    requestsPerMinute: row.requests_per_minute ?? undefined,
  };
}
