import { accessSync, constants, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'libsql';
import { createFolderSync } from '../../create-folder.ts';
import { isStorageFault, storageFault } from '../../errors.ts';
import { DatabaseOpenError, sqliteFault } from './database-faults.ts';

/** The right of this process to use a data folder. */
export interface DataFolderLock {
  release(): void;
}

/**
 * Locks a data folder for one server. The lock is one of the operating system on a SQLite file, so that it ends with
 * its process, also when that is killed. Throws a `DatabaseOpenError` when another server holds it.
 */
export function lockDataFolder(folder: string): DataFolderLock {
  const lockPath = join(folder, 'server.lock');
  const pidPath = join(folder, 'server.pid');
  let sqlite: Sqlite.Database | undefined;
  try {
    createFolderSync(folder, 0o700);
    // The error of SQLite would not tell the reason.
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    sqlite = new Sqlite(lockPath);
    sqlite.exec('pragma busy_timeout = 0');
    sqlite.exec('begin exclusive');
    writeFileSync(pidPath, `${process.pid}\n`, { mode: 0o600 });
  } catch (error) {
    sqlite?.close();
    throw new DatabaseOpenError(describeFailure(error, { folder, lockPath, pidPath }), { cause: error });
  }
  const held = sqlite;
  return {
    release() {
      rmSync(pidPath, { force: true });
      held.close();
    },
  };
}

function describeFailure(
  error: unknown,
  { folder, lockPath, pidPath }: { folder: string; lockPath: string; pidPath: string },
): string {
  const { code, message } = error as { code?: unknown; message: string };
  if (typeof code === 'string' && code.startsWith('SQLITE_BUSY')) {
    return `The data folder ${folder} is in use by another server (process ${readPid(pidPath)}); several servers need PostgreSQL (MYNAH_DATABASE_URL) or a folder each (MYNAH_DATA).`;
  }
  const reason = isStorageFault(error) ? storageFault(error) : message;
  return sqliteFault(error, lockPath)?.problem ?? `The data folder ${folder} cannot be opened: ${reason}.`;
}

function readPid(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
