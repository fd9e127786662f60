import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { MynahError } from 'mynah';
import { ApiError } from '../errors.ts';
import { ModelStoreError } from '../inference/models/files/model-store-error.ts';
import { DatabaseOpenError } from '../infrastructure/sql/database-faults.ts';

/** Reasons of failed calls of the file system. */
const FILE_PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'does not exist'],
  ['EACCES', 'cannot be accessed: permission denied'],
  ['EPERM', 'cannot be accessed: operation not permitted'],
  ['EISDIR', 'is a folder'],
  ['EROFS', 'is on a read-only file system'],
  ['ENOSPC', 'cannot be written: the disk is full'],
]);

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
  if (cause instanceof ModelStoreError) return cause.message;
  return describeFileProblem(error as NodeJS.ErrnoException) ?? message;
}

function describeFileProblem({ code, path, syscall }: NodeJS.ErrnoException): string | undefined {
  if (code === undefined || path === undefined || syscall?.startsWith('spawn')) return undefined;
  // The name of a new file may be a temporary one, which the caller has not given.
  if (code === 'ENOENT' && !existsSync(dirname(path))) return `The folder ${dirname(path)} does not exist.`;
  const problem = FILE_PROBLEMS.get(code);
  return problem && `${path} ${problem}.`;
}
