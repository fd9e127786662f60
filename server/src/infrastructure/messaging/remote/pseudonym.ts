import { createHash } from 'node:crypto';

const LENGTH = 16;

/** Identifies an account in messages: fairness between accounts needs a stable id, and workers need no more than that. */
export function pseudonymOf(accountId: string): string {
  return createHash('sha256').update(`mynah account\n${accountId}`).digest('hex').slice(0, LENGTH);
}
