import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { Kysely, SqliteDialect } from 'kysely';
import Sqlite from 'libsql';
import { migrate } from './migrations.ts';
import type { Tables } from './schema.ts';

export type Database = Kysely<Tables>;

/** Opens the SQLite file, makes it and its folder when they are missing, and brings its tables up to date. */
export async function openDatabase(path: string): Promise<Database> {
  // The folder holds key hashes and the first key: nobody else on the machine needs to look inside.
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const sqlite = new Sqlite(path);
  // Readers and one writer at a time; the command line may change keys while the server runs.
  sqlite.exec('pragma journal_mode = wal');
  sqlite.exec('pragma busy_timeout = 5000');
  sqlite.exec('pragma synchronous = normal');
  sqlite.exec('pragma foreign_keys = on');
  const db: Database = new Kysely<Tables>({ dialect: new SqliteDialect({ database: sqlite }) });
  try {
    await migrate(db as Kysely<never>);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return db;
}
