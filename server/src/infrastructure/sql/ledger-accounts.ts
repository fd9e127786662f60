/** Money that came in from outside. */
export const CASH = 'cash';
/** Money that was earned. */
export const REVENUE = 'revenue';
/** Where corrections come from and go to. */
export const ADJUSTMENTS = 'adjustments';

/** What an account is free to spend. */
export function availableBook(accountId: string): string {
  return `${accountId}/available`;
}

/** What an account has set aside for work under way. */
export function heldBook(accountId: string): string {
  return `${accountId}/held`;
}
