import { type Insertable, sql } from 'kysely';
import type { Lease } from '../../domain/accounts/lease.ts';
import type {
  UsageGroup,
  UsageQuery,
  UsageRecord,
  UsageStore,
  UsageSum,
} from '../../domain/accounts/ledger/usage.ts';
import type { Database } from './database.ts';
import { lockLease } from './lease-fence.ts';
import type { Tables } from './schema.ts';

const COLUMNS = {
  day: 'day',
  account: 'account_id',
  key: 'key_id',
  service: 'service',
  model: 'model',
  voice: 'voice',
} as const satisfies Record<UsageGroup, keyof Tables['usage']>;

async function addUsage(db: Database, usage: UsageRecord): Promise<void> {
  await db
    .insertInto('usage')
    .values(usageRow(usage))
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

/** Usage records. */
export class SqlUsageStore implements UsageStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async record(usage: UsageRecord, lease?: Lease): Promise<void> {
    if (lease === undefined) return addUsage(this.#db, usage);
    await this.#db.transaction().execute(async (tx) => {
      if (await lockLease(tx, lease, 'charge')) await addUsage(tx, usage);
    });
  }

  async sum({ accountId, fromMs, toMs, by }: UsageQuery): Promise<readonly UsageSum[]> {
    const columns = by.map((group) => COLUMNS[group]);
    let query = this.#db
      .selectFrom('usage')
      .select([
        sql<number>`count(*)`.as('requests'),
        // PostgreSQL returns the sum of integers as a decimal.
        sql<number>`cast(coalesce(sum(units), 0) as bigint)`.as('units'),
        sql<number>`cast(coalesce(sum(cost), 0) as bigint)`.as('cost'),
      ])
      .where('created_at', '>=', fromMs)
      .where('created_at', '<', toMs);
    if (accountId !== undefined) query = query.where('account_id', '=', accountId);
    for (const column of columns) query = query.select(column).groupBy(column).orderBy(column);
    const rows = await query.execute();
    return rows.map((row) => {
      const values = row as unknown as Readonly<Record<string, string>>;
      return {
        ...Object.fromEntries(by.map((group) => [group, values[COLUMNS[group]] ?? ''])),
        requests: row.requests,
        units: row.units,
        costNano: row.cost,
      };
    });
  }
}

/** A usage record as a row. */
export function usageRow(usage: UsageRecord): Insertable<Tables['usage']> {
  return {
    id: usage.id,
    account_id: usage.accountId,
    key_id: usage.keyId,
    service: usage.service,
    model: usage.model,
    voice: usage.voice,
    units: usage.units,
    cost: usage.costNano,
    day: new Date(usage.atMs).toISOString().slice(0, 10),
    created_at: usage.atMs,
  };
}
