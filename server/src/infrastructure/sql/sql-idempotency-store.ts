import type { Selectable, SelectQueryBuilder } from 'kysely';
import type {
  IdempotencyStore,
  IdempotentRequest,
  RequestKey,
  RequestLease,
  StoredResponse,
} from '../../domain/accounts/limits/idempotency.ts';
import { lockActiveAccount } from './active-account.ts';
import type { Database } from './database.ts';
import { databaseTime } from './database-clock.ts';
import type { Tables } from './schema.ts';

type StoredBody = Pick<Selectable<Tables['idempotency']>, 'account_id' | 'key' | 'body_bytes'>;

/** Requests with an idempotency key and their stored responses. */
export class SqlIdempotencyStore implements IdempotencyStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async add(
    { accountId, key, token }: RequestLease,
    { fingerprint, nowMs }: { readonly fingerprint: string; readonly nowMs: number },
    leaseMs: number,
  ): Promise<boolean> {
    return this.#db.transaction().execute(async (tx) => {
      await lockActiveAccount(tx, accountId);
      const added = await tx
        .insertInto('idempotency')
        .values({
          account_id: accountId,
          key,
          fingerprint,
          state: 'running',
          attempt: 1,
          lease_until: databaseTime(tx, leaseMs),
          lease_token: token,
          created_at: nowMs,
          status: null,
          headers: null,
          body: null,
        })
        .onConflict((conflict) => conflict.columns(['account_id', 'key']).doNothing())
        .returning('attempt')
        .executeTakeFirst();
      return added !== undefined;
    });
  }

  async find({ accountId, key }: RequestKey): Promise<IdempotentRequest | undefined> {
    const row = await this.#db
      .selectFrom('idempotency')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('key', '=', key)
      .executeTakeFirst();
    return (
      row && {
        fingerprint: row.fingerprint,
        state: row.state,
        attempt: row.attempt,
        createdAtMs: row.created_at,
        response:
          row.status === null
            ? undefined
            : {
                status: row.status,
                headers: JSON.parse(row.headers ?? '{}') as Record<string, string>,
                // The SQLite driver returns a Uint8Array.
                body: row.body === null ? undefined : Buffer.from(row.body),
              },
      }
    );
  }

  async resume({ accountId, key, token }: RequestLease, attempt: number, leaseMs: number): Promise<boolean> {
    const resumed = await this.#db
      .updateTable('idempotency')
      .set({
        state: 'running',
        attempt: attempt + 1,
        lease_until: databaseTime(this.#db, leaseMs),
        lease_token: token,
      })
      .where('account_id', '=', accountId)
      .where('key', '=', key)
      .where('attempt', '=', attempt)
      .where((where) =>
        where.or([
          where('state', '=', 'partial'),
          where.and([where('state', '=', 'running'), where('lease_until', '<=', databaseTime(this.#db))]),
        ]),
      )
      .returning('attempt')
      .executeTakeFirst();
    return resumed !== undefined;
  }

  async renew(lease: RequestLease, leaseMs: number): Promise<boolean> {
    const row = await this.#owned(lease)
      .set({ lease_until: databaseTime(this.#db, leaseMs) })
      .executeTakeFirst();
    return row.numUpdatedRows > 0n;
  }

  async finish(
    lease: RequestLease,
    { state, response }: { state: 'done' | 'partial'; response: StoredResponse | undefined },
  ): Promise<boolean> {
    const row = await this.#owned(lease)
      .set({
        state,
        status: response?.status ?? null,
        headers: response ? JSON.stringify(response.headers) : null,
        body: response?.body === undefined ? null : Buffer.from(response.body),
        body_bytes: response?.body?.length ?? 0,
      })
      .executeTakeFirst();
    return row.numUpdatedRows > 0n;
  }

  async remove({ accountId, key, token }: RequestLease): Promise<boolean> {
    const row = await this.#db
      .deleteFrom('idempotency')
      .where('account_id', '=', accountId)
      .where('key', '=', key)
      .where('lease_token', '=', token)
      .executeTakeFirst();
    return row.numDeletedRows > 0n;
  }

  /** An update of the request while its lease is held. */
  #owned({ accountId, key, token }: RequestLease) {
    return this.#db
      .updateTable('idempotency')
      .where('account_id', '=', accountId)
      .where('key', '=', key)
      .where('lease_token', '=', token)
      .where('state', '=', 'running');
  }

  async count(accountId: string, max: number): Promise<number> {
    const rows = this.#db
      .selectFrom('idempotency')
      .select('key')
      .where('account_id', '=', accountId)
      .limit(max);
    const { count } = await this.#db
      .selectFrom(rows.as('stored'))
      .select(({ fn }) => fn.countAll<number | string>().as('count'))
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  async pruneAccount(accountId: string, bodyBytesMax: number): Promise<void> {
    await this.#removeBodies(this.#bodies().where('account_id', '=', accountId), bodyBytesMax);
  }

  async prune(beforeMs: number, bodyBytesMax: number): Promise<void> {
    await this.#db.deleteFrom('idempotency').where('created_at', '<', beforeMs).execute();
    await this.#removeBodies(this.#bodies(), bodyBytesMax);
  }

  /** The sizes of stored bodies, newest first. */
  #bodies() {
    return this.#db
      .selectFrom('idempotency')
      .select(['account_id', 'key', 'body_bytes'])
      .where('body_bytes', '>', 0)
      .orderBy('created_at', 'desc');
  }

  /** Removes the oldest of these bodies above `bytesMax` in total. */
  async #removeBodies(
    bodies: SelectQueryBuilder<Tables, 'idempotency', StoredBody>,
    bytesMax: number,
  ): Promise<void> {
    let sumBytes = 0;
    for (const row of await bodies.execute()) {
      sumBytes += row.body_bytes;
      if (sumBytes <= bytesMax) continue;
      await this.#db
        .updateTable('idempotency')
        .set({ body: null, body_bytes: 0 })
        .where('account_id', '=', row.account_id)
        .where('key', '=', row.key)
        .execute();
    }
  }
}
