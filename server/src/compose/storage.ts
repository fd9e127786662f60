import type { Config } from '../config/config.ts';
import { type DataFolderLock, lockDataFolder } from '../infrastructure/sql/data-folder-lock.ts';
import { databaseOf, type OpenDatabase, openDatabase } from '../infrastructure/sql/database.ts';
import { DatabaseOpenError } from '../infrastructure/sql/database-faults.ts';
import { StartupError } from './startup-error.ts';

/** The database of a server, and its lock on the data folder, which a SQLite database needs. */
export interface Storage {
  readonly db: OpenDatabase;
  readonly folderLock: DataFolderLock | undefined;
}

/** Throws a `StartupError` when the database cannot be used, or another server uses the folder of a SQLite database. */
export async function openStorage(config: Config): Promise<Storage> {
  let folderLock: DataFolderLock | undefined;
  try {
    if (config.databaseUrl === undefined) folderLock = lockDataFolder(config.dataFolder);
    return { db: await openDatabase(databaseOf(config)), folderLock };
  } catch (error) {
    folderLock?.release();
    throw error instanceof DatabaseOpenError ? new StartupError(error.message, { cause: error }) : error;
  }
}
