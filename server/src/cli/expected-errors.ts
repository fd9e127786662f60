import { MynahError } from 'mynah';
import { ApiError } from '../errors.ts';

/** The message of a failure that it explains: ours, the server's, or the file system's. Throws every other one. */
export function explain(error: unknown): string {
  const isExpected =
    error instanceof ApiError ||
    error instanceof MynahError ||
    (error as { code?: unknown }).code !== undefined;
  if (!isExpected) throw error;
  return (error as Error).message;
}
