/** Ledger account of money paid in. */
export const CASH = 'cash';
/** Ledger account of charges. */
export const REVENUE = 'revenue';
/** Ledger account of corrections. */
export const ADJUSTMENTS = 'adjustments';

/** Ledger account of the available credit of an account. */
export function availableLedgerAccount(accountId: string): string {
  return `${accountId}/available`;
}

/** Ledger account of the held credit of an account. */
export function heldLedgerAccount(accountId: string): string {
  return `${accountId}/held`;
}
