import type {
  IdempotencyStore,
  IdempotentRequest,
  RequestKey,
  StoredResponse,
} from '../../domain/accounts/limits/idempotency.ts';
import type { Database } from './database.ts';

/** Requests with an idempotency key and their stored responses. */
export class SqlIdempotencyStore implements IdempotencyStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async add(
    { accountId, key }: RequestKey,
    fingerprint: string,
    { nowMs, leaseUntilMs }: { nowMs: number; leaseUntilMs: number },
  ): Promise<boolean> {
    const added = await this.#db
      .insertInto('idempotency')
      .values({
        account_id: accountId,
        key,
        fingerprint,
        state: 'running',
        attempt: 1,
        lease_until: leaseUntilMs,
        created_at: nowMs,
        status: null,
        headers: null,
        body: null,
      })
      .onConflict((conflict) => conflict.columns(['account_id', 'key']).doNothing())
      .returning('attempt')
      .executeTakeFirst();
    return added !== undefined;
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
        leaseUntilMs: row.lease_until,
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

  async resume({ accountId, key }: RequestKey, attempt: number, leaseUntilMs: number): Promise<boolean> {
    const resumed = await this.#db
      .updateTable('idempotency')
      .set({ state: 'running', attempt: attempt + 1, lease_until: leaseUntilMs })
      .where('account_id', '=', accountId)
      .where('key', '=', key)
      .where('attempt', '=', attempt)
      .where('state', '!=', 'done')
      .returning('attempt')
      .executeTakeFirst();
    return resumed !== undefined;
  }

  async renew({ accountId, key }: RequestKey, leaseUntilMs: number): Promise<void> {
    await this.#db
      .updateTable('idempotency')
      .set({ lease_until: leaseUntilMs })
      .where('account_id', '=', accountId)
      .where('key', '=', key)
      .where('state', '=', 'running')
      .execute();
  }

  async finish(
    { accountId, key }: RequestKey,
    { state, response }: { state: 'done' | 'partial'; response: StoredResponse | undefined },
  ): Promise<void> {
    await this.#db
      .updateTable('idempotency')
      .set({
        state,
        status: response?.status ?? null,
        headers: response ? JSON.stringify(response.headers) : null,
        body: response?.body === undefined ? null : Buffer.from(response.body),
        body_bytes: response?.body?.length ?? 0,
      })
      .where('account_id', '=', accountId)
      .where('key', '=', key)
      .execute();
  }

  async remove({ accountId, key }: RequestKey): Promise<void> {
    await this.#db
      .deleteFrom('idempotency')
      .where('account_id', '=', accountId)
      .where('key', '=', key)
      .execute();
  }

  async prune(beforeMs: number, bodyBytesMax: number): Promise<void> {
    await this.#db.deleteFrom('idempotency').where('created_at', '<', beforeMs).execute();
    const bodies = await this.#db
      .selectFrom('idempotency')
      .select(['account_id', 'key', 'body_bytes'])
      .where('body_bytes', '>', 0)
      .orderBy('created_at', 'desc')
      .execute();
    let sumBytes = 0;
    for (const row of bodies) {
      sumBytes += row.body_bytes;
      if (sumBytes <= bodyBytesMax) continue;
      await this.#db
        .updateTable('idempotency')
        .set({ body: null, body_bytes: 0 })
        .where('account_id', '=', row.account_id)
        .where('key', '=', row.key)
        .execute();
    }
  }
}
