import { LedgerConflictError } from '../../../domain/accounts/ledger/ledger.ts';
import { assertNano } from '../../../domain/accounts/ledger/money.ts';

/** Throws a `RangeError` unless the amount is a whole number of nano-dollars above 0. */
export function assertAmount(amountNano: number): void {
  assertNano(amountNano);
  if (amountNano === 0) throw new RangeError('A transfer needs an amount above 0.');
}

/** Throws `LedgerConflictError` unless an id was used before with the same content. */
export function assertSame(isSame: boolean, id: string): void {
  if (!isSame) throw new LedgerConflictError(`The id ${id} was used before with other content.`);
}
