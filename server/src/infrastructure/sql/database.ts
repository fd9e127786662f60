import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Kysely, PostgresDialect, type SqliteDatabase, SqliteDialect } from 'kysely';
import Sqlite from 'libsql';
import pg from 'pg';
import { migrate } from './migrate.ts';
import type { Tables } from './schema.ts';

export type Database = Kysely<Tables>;

/** Connections to PostgreSQL. A request holds one for a few statements only. */
const POOL_SIZE = 10;
const POSTGRES_INT8 = 20;
/** More different statements than the server has; lists of varying length make some of them up. */
const STATEMENTS_KEPT_MAX = 500;

/** The database the settings name: a PostgreSQL address, else a SQLite file in the data folder. */
export function databaseOf(config: {
  readonly databaseUrl?: { reveal(): string } | undefined;
  readonly dataFolder: string;
}): string {
  return config.databaseUrl?.reveal() ?? join(config.dataFolder, 'mynah.db');
}

/** Opens a PostgreSQL address or a SQLite file, which is made when it is missing, and brings its tables up to date. */
export async function openDatabase(addressOrPath: string): Promise<Database> {
  const isPostgres = /^postgres(ql)?:\/\//.test(addressOrPath);
  const dialect = isPostgres ? openPostgres(addressOrPath) : openSqlite(addressOrPath);
  const db: Database = new Kysely<Tables>({ dialect });
  try {
    await migrate(db as Kysely<never>);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return db;
}

function openSqlite(path: string): SqliteDialect {
  // The folder holds key hashes and the first key: nobody else on the machine needs to look inside.
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const sqlite = new Sqlite(path);
  // Readers and one writer at a time; the command line may change keys while the server runs.
  sqlite.exec('pragma journal_mode = wal');
  sqlite.exec('pragma busy_timeout = 5000');
  sqlite.exec('pragma synchronous = normal');
  sqlite.exec('pragma foreign_keys = on');
  return new SqliteDialect({ database: withKeptStatements(sqlite) });
}

/** Keeps statements that were prepared: a request runs a dozen, always the same, and preparing is a fifth of their cost. */
function withKeptStatements(sqlite: SqliteDatabase): SqliteDatabase {
  const kept = new Map<string, ReturnType<SqliteDatabase['prepare']>>();
  return {
    prepare(text) {
      const statement = kept.get(text) ?? sqlite.prepare(text);
      if (kept.size >= STATEMENTS_KEPT_MAX) kept.clear();
      kept.set(text, statement);
      return statement;
    },
    close() {
      kept.clear();
      sqlite.close();
    },
  };
}

function openPostgres(address: string): PostgresDialect {
  const pool = new pg.Pool({
    connectionString: address,
    max: POOL_SIZE,
    application_name: 'mynah',
    types: {
      getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
        oid === POSTGRES_INT8 ? parseSafeInteger : pg.types.getTypeParser(oid, format as 'text')) as never,
    },
  });
  // A connection that dies while it is idle is replaced; whoever needs the next one hears of real trouble.
  pool.on('error', () => {});
  return new PostgresDialect({ pool });
}

/** PostgreSQL sends whole numbers of 64 bits as text. */
function parseSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new RangeError('A number in the database is too large to be exact.');
  return value;
}
