import { sql } from 'kysely';
import type { Transfer, TransferQuery, Wallet } from '../../../domain/accounts/ledger/ledger.ts';
import type { Database } from '../database.ts';
import { availableLedgerAccount, heldLedgerAccount } from './ledger-accounts.ts';

/** Number and age of open holds. */
export interface OpenHolds {
  readonly count: number;
  readonly oldestAgeMs: number;
}

/** Number and age of the open holds of all accounts. */
export async function queryOpenHolds(db: Database, nowMs: number): Promise<OpenHolds> {
  const row = await db
    .selectFrom('hold')
    .select(({ fn }) => [fn.countAll<number | string>().as('count'), fn.min('created_at').as('oldest')])
    // A literal, so that SQLite uses the partial index of open holds.
    .where('state', '=', sql.lit('open'))
    .executeTakeFirst();
  const oldestAgeMs = row?.oldest == null ? 0 : Math.max(0, nowMs - row.oldest);
  return { count: Number(row?.count ?? 0), oldestAgeMs };
}

/** The wallet of an account; zeros where it has none yet. */
export async function queryWallet(db: Database, accountId: string): Promise<Wallet> {
  const row = await db
    .selectFrom('wallet')
    .selectAll()
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return {
    availableNano: row?.available ?? 0,
    heldNano: row?.held ?? 0,
    spentNano: row?.spent ?? 0,
    toppedUpNano: row?.topped_up ?? 0,
    createdAtMs: row?.created_at ?? 0,
    updatedAtMs: row?.updated_at ?? 0,
  };
}

/** What was charged for these holds. */
export async function queryChargedNano(db: Database, holdIds: readonly string[]): Promise<number> {
  if (holdIds.length === 0) return 0;
  const rows = await db.selectFrom('hold').select('settled').where('id', 'in', holdIds).execute();
  return rows.reduce((sum, { settled }) => sum + settled, 0);
}

/** The transfers of an account in a time range, oldest first. */
export async function queryTransfers(
  db: Database,
  { accountId, fromMs, toMs, kinds }: TransferQuery,
): Promise<readonly Transfer[]> {
  const rows = await db
    .selectFrom('ledger_transfer')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('created_at', '>=', fromMs)
    .where('created_at', '<', toMs)
    .where('kind', 'in', kinds)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    accountId: row.account_id,
    fromLedgerAccount: row.from_book,
    toLedgerAccount: row.to_book,
    amountNano: row.amount,
    holdId: row.hold_id ?? undefined,
    memo: row.memo,
    atMs: row.created_at,
  }));
}

/** What an account owned, available and held, before a time. */
export async function queryOwnedNano(db: Database, accountId: string, beforeMs: number): Promise<number> {
  const own = [availableLedgerAccount(accountId), heldLedgerAccount(accountId)];
  const { owned } = await db
    .selectFrom('ledger_transfer')
    .select(({ eb }) => {
      const isGain = eb('to_book', 'in', own).and('from_book', 'not in', own);
      const isLoss = eb('from_book', 'in', own).and('to_book', 'not in', own);
      const change = sql`case when ${isGain} then amount when ${isLoss} then -amount else 0 end`;
      return sql<number>`cast(coalesce(sum(${change}), 0) as bigint)`.as('owned');
    })
    .where('account_id', '=', accountId)
    .where('created_at', '<', beforeMs)
    .executeTakeFirstOrThrow();
  return owned;
}
