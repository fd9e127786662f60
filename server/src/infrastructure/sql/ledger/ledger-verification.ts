import type { Transaction as KyselyTransaction, Selectable } from 'kysely';
import type { LedgerReport } from '../../../domain/accounts/ledger/ledger.ts';
import type { Database } from '../database.ts';
import type { Tables } from '../schema.ts';
import { availableLedgerAccount, CASH, heldLedgerAccount, REVENUE } from './ledger-accounts.ts';

type Transaction = KyselyTransaction<Tables>;

/** Rows per page. */
const PAGE = 2000;
/** A hold that is open this long after its expiry shows that no sweep is running. */
const SWEEP_GRACE_MS = 10 * 60_000;
/** Maximum number of reported problems. */
const PROBLEMS_MAX = 100;

interface Totals {
  /** Balance of every ledger account, computed from the transfers. */
  readonly balances: Map<string, bigint>;
  readonly paidIn: Map<string, bigint>;
  readonly charged: Map<string, bigint>;
  readonly refunded: Map<string, bigint>;
  /** By hold: the amount still held and the amount charged. */
  readonly holds: Map<string, { open: bigint; charged: bigint }>;
  transfers: number;
}

/** Recomputes every balance from the transfers in one snapshot, and lists the differences. */
export async function verifyLedger(db: Database, nowMs: number): Promise<LedgerReport> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const problems: string[] = [];
      const report = (problem: string) => {
        if (problems.length < PROBLEMS_MAX) problems.push(problem);
      };
      const totals = await addUpTransfers(tx);
      const sum = [...totals.balances.values()].reduce((all, balance) => all + balance, 0n);
      if (sum !== 0n) report(`The sum of all ledger accounts is ${sum}, not 0.`);
      const accounts = await compareWallets(tx, totals, report);
      const { openHolds, meters } = await compareHolds(tx, totals, nowMs, report);
      await compareMeters(tx, meters, report);
      await compareUsage(tx, totals, report);
      const chargedNano = [...totals.charged.values()].reduce((all, amount) => all + amount, 0n);
      return { accounts, transfers: totals.transfers, openHolds, chargedNano, problems };
    });
}

async function addUpTransfers(tx: Transaction): Promise<Totals> {
  const totals: Totals = {
    balances: new Map(),
    paidIn: new Map(),
    charged: new Map(),
    refunded: new Map(),
    holds: new Map(),
    transfers: 0,
  };
  for await (const row of pages(tx, 'ledger_transfer')) {
    const amount = BigInt(row.amount);
    totals.transfers += 1;
    add(totals.balances, row.from_book, -amount);
    add(totals.balances, row.to_book, amount);
    if (row.from_book === CASH) add(totals.paidIn, row.account_id, amount);
    if (row.to_book === REVENUE) add(totals.charged, row.account_id, amount);
    if (row.from_book === REVENUE) add(totals.refunded, row.account_id, amount);
    if (row.hold_id !== null) {
      const hold = totals.holds.get(row.hold_id) ?? { open: 0n, charged: 0n };
      totals.holds.set(row.hold_id, hold);
      hold.open += row.to_book === heldLedgerAccount(row.account_id) ? amount : -amount;
      if (row.to_book === REVENUE) hold.charged += amount;
    }
  }
  return totals;
}

async function compareWallets(
  tx: Transaction,
  totals: Totals,
  report: (problem: string) => void,
): Promise<number> {
  const owners = new Set<string>();
  for await (const row of pages(tx, 'wallet', 'account_id')) {
    const id = row.account_id;
    owners.add(id);
    const spent = (totals.charged.get(id) ?? 0n) - (totals.refunded.get(id) ?? 0n);
    const expected = {
      available: totals.balances.get(availableLedgerAccount(id)) ?? 0n,
      held: totals.balances.get(heldLedgerAccount(id)) ?? 0n,
      spent,
      topped_up: totals.paidIn.get(id) ?? 0n,
    };
    for (const name of ['available', 'held', 'spent', 'topped_up'] as const) {
      if (BigInt(row[name]) !== expected[name]) {
        report(`Account ${id}: ${name} is ${row[name]}, but its transfers add up to ${expected[name]}.`);
      }
      if (expected[name] < 0n) report(`Account ${id}: ${name} is below zero.`);
    }
  }
  for (const [ledgerAccount, balance] of totals.balances) {
    const owner = /^(.+)\/(?:available|held)$/.exec(ledgerAccount)?.[1];
    if (owner !== undefined && balance !== 0n && !owners.has(owner))
      report(`Ledger account ${ledgerAccount} has no wallet.`);
  }
  return owners.size;
}

async function compareHolds(
  tx: Transaction,
  totals: Totals,
  nowMs: number,
  report: (problem: string) => void,
): Promise<{ openHolds: number; meters: Map<string, { held: bigint; spent: bigint }> }> {
  const meters = new Map<string, { held: bigint; spent: bigint }>();
  let openHolds = 0;
  for await (const row of pages(tx, 'hold')) {
    const transferred = totals.holds.get(row.id) ?? { open: 0n, charged: 0n };
    totals.holds.delete(row.id);
    const isOpen = row.state === 'open';
    if (isOpen) openHolds += 1;
    if (transferred.open !== (isOpen ? BigInt(row.amount) : 0n)) {
      report(`Hold ${row.id} is ${row.state}, but ${transferred.open} of ${row.amount} are held for it.`);
    }
    if (transferred.charged !== BigInt(row.settled)) {
      report(`Hold ${row.id} was settled for ${row.settled}, but ${transferred.charged} were charged.`);
    }
    if (isOpen && row.expires_at < nowMs - SWEEP_GRACE_MS)
      report(`Hold ${row.id} is open long after its expiry.`);
    const meter = meters.get(row.meter_id) ?? { held: 0n, spent: 0n };
    meters.set(row.meter_id, meter);
    meter.held += transferred.open;
    meter.spent += transferred.charged;
  }
  for (const id of totals.holds.keys()) report(`Transfers refer to hold ${id}, which does not exist.`);
  return { openHolds, meters };
}

async function compareMeters(
  tx: Transaction,
  meters: ReadonlyMap<string, { held: bigint; spent: bigint }>,
  report: (problem: string) => void,
): Promise<void> {
  for await (const row of pages(tx, 'key_meter')) {
    const expected = meters.get(row.id) ?? { held: 0n, spent: 0n };
    if (BigInt(row.held) !== expected.held || BigInt(row.spent) !== expected.spent) {
      report(`The meter of key ${row.id} does not agree with its holds.`);
    }
  }
}

/** Checks that charges and usage records agree by account. */
async function compareUsage(
  tx: Transaction,
  totals: Totals,
  report: (problem: string) => void,
): Promise<void> {
  const costs = new Map<string, bigint>();
  for await (const row of pages(tx, 'usage')) add(costs, row.account_id, BigInt(row.cost));
  for (const accountId of new Set([...costs.keys(), ...totals.charged.keys()])) {
    const cost = costs.get(accountId) ?? 0n;
    const charged = totals.charged.get(accountId) ?? 0n;
    if (cost !== charged) {
      report(`Account ${accountId} was charged ${charged}, but its usage records cost ${cost}.`);
    }
  }
}

function add(sums: Map<string, bigint>, name: string, amount: bigint): void {
  sums.set(name, (sums.get(name) ?? 0n) + amount);
}

/** All rows of a table in the order of their id, read in pages. */
async function* pages<Table extends 'ledger_transfer' | 'hold' | 'key_meter' | 'usage' | 'wallet'>(
  tx: Transaction,
  table: Table,
  id: 'id' | 'account_id' = 'id',
) {
  let after = '';
  while (true) {
    const rows = await tx
      .selectFrom(table as 'hold')
      .selectAll()
      .where(id, '>', after)
      .orderBy(id)
      .limit(PAGE)
      .execute();
    for (const row of rows) yield row as unknown as Selectable<Tables[Table]>;
    if (rows.length < PAGE) return;
    after = rows.at(-1)![id];
  }
}
