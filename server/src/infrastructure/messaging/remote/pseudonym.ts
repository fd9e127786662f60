import { createHash } from 'node:crypto';

const LENGTH = 16;

/** Stands for an account in messages: workers need to tell accounts apart for fairness, and not to know them. */
export function pseudonymOf(accountId: string): string {
  return createHash('sha256').update(`mynah account\n${accountId}`).digest('hex').slice(0, LENGTH);
}
