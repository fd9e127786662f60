import { sql } from 'kysely';
import type { Booking, BookingOutcome } from '../../../domain/accounts/ledger/ledger.ts';
import { NANO_MAX } from '../../../domain/accounts/ledger/money.ts';
import type { Database } from '../database.ts';
import { insertTransfers } from './insert-transfers.ts';
import { availableLedgerAccount } from './ledger-accounts.ts';
import { attempt, Refusal } from './refusal.ts';
import { assertAmount, assertSame } from './transfer-checks.ts';

/** Books a transfer between an account and the operator. */
export async function bookTransfer(
  db: Database,
  transfer: Booking & {
    readonly kind: 'top_up' | 'adjustment' | 'refund';
    /** The ledger accounts that are debited and credited. */
    readonly from: string;
    readonly to: string;
    readonly nowMs: number;
  },
): Promise<BookingOutcome> {
  const { id, kind, accountId, amountNano, memo, from, to, nowMs } = transfer;
  assertAmount(amountNano);
  const sign = to === availableLedgerAccount(accountId) ? 1 : -1;
  const changes = {
    available: sign * amountNano,
    spent: kind === 'refund' ? -amountNano : 0,
    topped_up: kind === 'top_up' ? amountNano : 0,
  };
  return attempt<BookingOutcome>(db, async (tx) => {
    await tx
      .insertInto('wallet')
      .values({
        account_id: accountId,
        available: 0,
        held: 0,
        spent: 0,
        topped_up: 0,
        created_at: nowMs,
        updated_at: nowMs,
      })
      .onConflict((conflict) => conflict.column('account_id').doNothing())
      .execute();
    const isNew = await insertTransfers(tx, nowMs, [{ id, kind, accountId, from, to, amountNano, memo }]);
    if (!isNew) {
      const known = await tx
        .selectFrom('ledger_transfer')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      assertSame(
        known?.account_id === accountId && known.amount === amountNano && known.from_book === from,
        id,
      );
      return 'known';
    }
    const changed = await tx
      .updateTable('wallet')
      .set({
        available: sql<number>`available + ${changes.available}`,
        spent: sql<number>`spent + ${changes.spent}`,
        topped_up: sql<number>`topped_up + ${changes.topped_up}`,
        updated_at: nowMs,
      })
      .where('account_id', '=', accountId)
      .where('available', '>=', Math.max(0, -changes.available))
      .where('available', '<=', NANO_MAX - Math.max(0, changes.available))
      .where('spent', '>=', -changes.spent)
      .where('topped_up', '<=', NANO_MAX - changes.topped_up)
      .returning('account_id')
      .executeTakeFirst();
    if (changed === undefined) throw new Refusal<BookingOutcome>('not_possible');
    return 'booked';
  });
}
