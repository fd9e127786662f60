import type { Transaction } from 'kysely';
import type { TransferKind } from '../../../domain/accounts/ledger/ledger.ts';
import type { Tables } from '../schema.ts';

/** A transfer to insert. */
interface NewTransfer {
  readonly id: string;
  readonly kind: TransferKind;
  readonly accountId: string;
  readonly from: string;
  readonly to: string;
  readonly amountNano: number;
  readonly holdId?: string;
  readonly memo?: string;
  /** Absent: now. */
  readonly atMs?: number;
}

/** Inserts transfers; false when one of them exists already. */
export async function insertTransfers(
  tx: Transaction<Tables>,
  nowMs: number,
  transfers: readonly NewTransfer[],
): Promise<boolean> {
  const added = await tx
    .insertInto('ledger_transfer')
    .values(
      transfers.map(({ id, kind, accountId, from, to, amountNano, holdId, memo, atMs }) => ({
        id,
        kind,
        account_id: accountId,
        from_book: from,
        to_book: to,
        amount: amountNano,
        hold_id: holdId ?? null,
        memo: memo ?? '',
        created_at: atMs ?? nowMs,
      })),
    )
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .execute();
  return added.length === transfers.length;
}
