import { MynahError } from 'mynah';
import { ApiError } from '../errors.ts';

/** The message of an expected error: of this program, of a server, or of the file system. Rethrows other errors. */
export function explain(error: unknown): string {
  const isExpected =
    error instanceof ApiError ||
    error instanceof MynahError ||
    (error as { code?: unknown }).code !== undefined;
  if (!isExpected) throw error;
  return (error as Error).message;
}
