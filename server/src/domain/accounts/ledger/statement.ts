import type { Ledger, Transfer } from './ledger.ts';
import type { UsageStore, UsageSum } from './usage.ts';

/** The payments and the usage of an account in one month, UTC. */
export interface Statement {
  readonly account: { readonly id: string; readonly name: string };
  /** Such as `2026-11`. */
  readonly month: string;
  /** Balance, available and held, at the start and at the end of the month. */
  readonly openingNano: number;
  readonly closingNano: number;
  /** Top-ups, refunds and adjustments, oldest first. Deductions are negative. */
  readonly bookings: readonly (Pick<Transfer, 'id' | 'kind' | 'memo' | 'atMs'> & {
    readonly amountNano: number;
  })[];
  /** By day, service and model. */
  readonly charges: readonly UsageSum[];
}

/** A month such as `2026-11`. */
export const MONTH_PATTERN = /^(\d{4})-(0[1-9]|1[0-2])$/;

/** The time range of a month such as `2026-11`, end exclusive. Undefined for other text. */
export function monthRange(month: string): { readonly fromMs: number; readonly toMs: number } | undefined {
  const [, year, number] = MONTH_PATTERN.exec(month) ?? [];
  if (year === undefined) return undefined;
  return {
    fromMs: Date.UTC(Number(year), Number(number) - 1, 1),
    toMs: Date.UTC(Number(year), Number(number), 1),
  };
}

/** Creates the statement of a month: opening balance + bookings - charges = closing balance. */
export async function createStatement(
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
    bookings: bookings.map(({ id, kind, memo, atMs, amountNano, fromLedgerAccount }) => ({
      id,
      kind,
      memo,
      atMs,
      amountNano: fromLedgerAccount.startsWith(`${account.id}/`) ? -amountNano : amountNano,
    })),
    charges: await usage.sum({ accountId: account.id, fromMs, toMs, by: ['day', 'service', 'model'] }),
  };
}
