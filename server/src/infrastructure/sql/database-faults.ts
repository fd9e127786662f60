import { ApiError } from '../../errors.ts';

/** Clients should repeat a request after this time when the database cannot be used. */
const RETRY_AFTER_SECONDS = 2;

/** A fault of the database or its machine, as opposed to a faulty statement. */
export interface DatabaseFault {
  /** One sentence for the log. */
  readonly problem: string;
  /** The database cannot be used at all, not only by this statement. */
  readonly isOutage: boolean;
  /** The outage lasts until the server is started again. */
  readonly isPermanent?: boolean;
}

/** Why a database cannot be opened. The codes are stable. `schema_newer`: a newer version has upgraded it. */
export type DatabaseOpenCode = 'database_unavailable' | 'schema_newer';

/** The database cannot be opened. The message is one sentence for the operator. */
export class DatabaseOpenError extends Error {
  override readonly name = 'DatabaseOpenError';
  readonly code: DatabaseOpenCode;

  constructor(
    message: string,
    { code = 'database_unavailable', ...options }: ErrorOptions & { readonly code?: DatabaseOpenCode } = {},
  ) {
    super(message, options);
    this.code = code;
  }
}

/** The error that a client receives for a fault. */
export function createDatabaseUnavailableError(cause: unknown): ApiError {
  return new ApiError('database_unavailable', 'The database is not available.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });
}

const SQLITE_PROBLEMS: Readonly<Record<string, string>> = {
  SQLITE_FULL: 'the disk is full',
  SQLITE_READONLY: 'the file or its folder is read-only',
  SQLITE_IOERR: 'reading or writing the file failed',
  SQLITE_CANTOPEN: 'the file cannot be opened',
  SQLITE_CORRUPT: 'the file is damaged; stop the server, restore the file from a backup and start again',
  SQLITE_NOTADB:
    'the file is not a SQLite database; stop the server, restore the file from a backup and start again',
  SQLITE_PERM: 'access to the file is denied',
};

/** Undefined when the statement itself is at fault. */
export function sqliteFault(error: unknown, path: string): DatabaseFault | undefined {
  const { code } = error as { code?: unknown };
  if (typeof code !== 'string' || !code.startsWith('SQLITE_')) return undefined;
  const primary = code.split('_').slice(0, 2).join('_');
  if (primary === 'SQLITE_BUSY' || primary === 'SQLITE_LOCKED')
    return { problem: `The database ${path} is locked by another process.`, isOutage: false };
  const problem = SQLITE_PROBLEMS[primary];
  return problem === undefined
    ? undefined
    : {
        problem: `The database ${path} cannot be used: ${problem} (${code}).`,
        isOutage: true,
        // Intact pages of a damaged file can still be read and written, so that a probe would succeed.
        isPermanent: primary === 'SQLITE_CORRUPT' || primary === 'SQLITE_NOTADB',
      };
}

/** PostgreSQL cannot store U+0000 in text. SQLite rejects it too, so that both behave alike. */
export function assertStorable(parameters: readonly unknown[]): void {
  for (const parameter of parameters) {
    if (typeof parameter === 'string' && parameter.includes('\0'))
      throw new ApiError('invalid_request', 'Text must not contain the character U+0000.');
  }
}
