import type { Ledger, Transfer } from './ledger.ts';
import type { UsageStore, UsageSum } from './usage.ts';

/** What an account paid in and used in one month, UTC. */
export interface Statement {
  readonly account: { readonly id: string; readonly name: string };
  /** Such as `2026-11`. */
  readonly month: string;
  /** What it owned when the month began and when it ended, or now: available and held. */
  readonly openingNano: number;
  readonly closingNano: number;
  /** Top-ups, refunds and adjustments, oldest first. Money that was taken away is negative. */
  readonly bookings: readonly (Pick<Transfer, 'id' | 'kind' | 'memo' | 'atMs'> & {
    readonly amountNano: number;
  })[];
  /** By day, service and model. */
  readonly charges: readonly UsageSum[];
}

const MONTH_PATTERN = /^(\d{4})-(0[1-9]|1[0-2])$/;

/** The first and the last millisecond of a month; undefined for what is none. */
export function monthRange(month: string): { readonly fromMs: number; readonly toMs: number } | undefined {
  const [, year, number] = MONTH_PATTERN.exec(month) ?? [];
  if (year === undefined) return undefined;
  return {
    fromMs: Date.UTC(Number(year), Number(number) - 1, 1),
    toMs: Date.UTC(Number(year), Number(number), 1),
  };
}

/** Makes the statement of a month. What it begins with, plus what came in, less what was charged, is what it ends with. */
export async function makeStatement(
  { ledger, usage }: { readonly ledger: Ledger; readonly usage: UsageStore },
  account: { readonly id: string; readonly name: string },
  month: string,
): Promise<Statement> {
  const range = monthRange(month);
  if (range === undefined) throw new RangeError(`Not a month: ${month}`);
  const { fromMs, toMs } = range;
  const bookings = await ledger.transfers({
    accountId: account.id,
    fromMs,
    toMs,
    kinds: ['top_up', 'adjustment', 'refund'],
  });
  return {
    account,
    month,
    openingNano: await ledger.ownedNano(account.id, fromMs),
    closingNano: await ledger.ownedNano(account.id, toMs),
    bookings: bookings.map(({ id, kind, memo, atMs, amountNano, fromBook }) => ({
      id,
      kind,
      memo,
      atMs,
      amountNano: fromBook.startsWith(`${account.id}/`) ? -amountNano : amountNano,
    })),
    charges: await usage.sum({ accountId: account.id, fromMs, toMs, by: ['day', 'service', 'model'] }),
  };
}
