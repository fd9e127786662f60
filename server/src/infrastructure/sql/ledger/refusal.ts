import type { Transaction } from 'kysely';
import type { Database } from '../database.ts';
import type { Tables } from '../schema.ts';

/** Rolls back a transaction whose condition failed. */
export class Refusal<Outcome extends string> extends Error {
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    super(outcome);
    this.outcome = outcome;
  }
}

/** Runs a transaction. A `Refusal` rolls it back and becomes the result. */
export async function attempt<Result extends string>(
  db: Database,
  work: (tx: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  try {
    return await db.transaction().execute(work);
  } catch (error) {
    if (error instanceof Refusal) return error.outcome;
    throw error;
  }
}
