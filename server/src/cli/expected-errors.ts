import { MynahError } from 'mynah';
import { ApiError } from '../errors.ts';
import { ModelStoreError } from '../inference/models/files/model-store-error.ts';
import { DatabaseOpenError } from '../infrastructure/sql/database-faults.ts';

/** The message of an expected error: of this program, of a server, of the database or of the file system. Rethrows other errors. */
export function explain(error: unknown): string {
  const isExpected =
    error instanceof ApiError ||
    error instanceof MynahError ||
    error instanceof DatabaseOpenError ||
    (error as { code?: unknown }).code !== undefined;
  if (!isExpected) throw error;
  const { message, cause } = error as Error;
  // Clients of a server do not receive the reason; the user of a command is its operator.
  return cause instanceof ModelStoreError ? cause.message : message;
}
