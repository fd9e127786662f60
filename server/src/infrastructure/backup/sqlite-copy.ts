import { chmodSync } from 'node:fs';
import Sqlite from 'libsql';
import { BackupError } from './backup-error.ts';

/** Wait for another process that holds the database exclusively. */
const BUSY_TIMEOUT_MS = 10_000;

/**
 * Writes a consistent copy of a SQLite database to a new file, while other processes read and write it. The copy has
 * no content of deleted rows. Returns the names of its migrations. Applies no migrations.
 */
export function copySqlite(from: string, to: string): string[] {
  const source = new Sqlite(from, { readonly: true });
  try {
    source.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
    source.prepare('vacuum into ?').run(to);
  } finally {
    source.close();
  }
  chmodSync(to, 0o600);
  return readMigrations(to);
}

/** Checks every page of the file and returns the names of its migrations. Throws a `BackupError` when it is damaged. */
export function readMigrations(path: string): string[] {
  let sqlite: Sqlite.Database | undefined;
  try {
    sqlite = new Sqlite(path, { readonly: true });
    const [result] = sqlite.prepare('pragma quick_check(1)').all() as { quick_check: string }[];
    if (result?.quick_check !== 'ok') throw new Error(result?.quick_check ?? 'no result');
    const rows = sqlite.prepare('select name from kysely_migration order by name').all() as {
      name: string;
    }[];
    return rows.map(({ name }) => name);
  } catch (error) {
    throw new BackupError(
      'backup_broken',
      `The copy of the database is damaged: ${(error as Error).message}.`,
      {
        cause: error,
      },
    );
  } finally {
    sqlite?.close();
  }
}
