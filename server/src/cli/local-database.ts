import { existsSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import { databaseOf, type OpenDatabase, openDatabase } from '../infrastructure/sql/database.ts';

/** A command found no database and must not create one. */
export class MissingDatabaseError extends Error {
  override readonly name = 'MissingDatabaseError';
  readonly code = 'no_database';
}

/** Whether opening the local database would create it. */
export function isDatabaseMissing(config: Config): boolean {
  return config.databaseUrl === undefined && !existsSync(databaseOf(config));
}

/**
 * Opens the database of the configured installation and prints which one it is. Throws a `MissingDatabaseError` instead
 * of creating a database in a folder that no server uses.
 */
export async function openLocalDatabase(
  config: Config,
  {
    stderr,
    mayCreate = false,
  }: { readonly stderr: { write(text: string): unknown }; readonly mayCreate?: boolean },
): Promise<OpenDatabase> {
  if (!mayCreate && isDatabaseMissing(config)) {
    throw new MissingDatabaseError(
      `There is no database in ${config.dataFolder}. Name the data folder of the server with MYNAH_DATA, start the server ` +
        'once, or add --create to create a database here.',
    );
  }
  stderr.write(
    config.databaseUrl === undefined
      ? `Data folder: ${config.dataFolder}\n`
      : 'Database: PostgreSQL, from MYNAH_DATABASE_URL\n',
  );
  return openDatabase(databaseOf(config));
}
