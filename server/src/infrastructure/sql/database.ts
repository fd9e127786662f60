import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Kysely, PostgresDialect, type SqliteDatabase, SqliteDialect } from 'kysely';
import Sqlite from 'libsql';
import pg from 'pg';
import { migrate } from './migrate.ts';
import type { Tables } from './schema.ts';

export type Database = Kysely<Tables>;

/** PostgreSQL connections. A request uses one for a few statements only. */
const POOL_SIZE = 10;
const POSTGRES_INT8 = 20;
/** More than the server's distinct statements; lists of varying length create further ones. */
const CACHED_STATEMENTS_MAX = 500;

/** The database of the settings: a PostgreSQL URL, else the path of a SQLite file in the data folder. */
export function databaseOf(config: {
  readonly databaseUrl?: { reveal(): string } | undefined;
  readonly dataFolder: string;
}): string {
  return config.databaseUrl?.reveal() ?? join(config.dataFolder, 'mynah.db');
}

/** Opens a PostgreSQL database or a SQLite file, creating the file when missing, and applies the migrations. */
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
  // The folder contains key hashes and the first key: readable by the owner only.
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const sqlite = new Sqlite(path);
  // Concurrent readers and one writer: the command line may change keys while the server runs.
  sqlite.exec('pragma journal_mode = wal');
  sqlite.exec('pragma busy_timeout = 5000');
  sqlite.exec('pragma synchronous = normal');
  sqlite.exec('pragma foreign_keys = on');
  return new SqliteDialect({ database: withStatementCache(sqlite) });
}

/** Caches prepared statements. A request runs about a dozen; preparing them is a fifth of their cost. */
function withStatementCache(sqlite: SqliteDatabase): SqliteDatabase {
  const cache = new Map<string, ReturnType<SqliteDatabase['prepare']>>();
  return {
    prepare(text) {
      const statement = cache.get(text) ?? sqlite.prepare(text);
      if (cache.size >= CACHED_STATEMENTS_MAX) cache.clear();
      cache.set(text, statement);
      return statement;
    },
    close() {
      cache.clear();
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
  // The pool replaces an idle connection that fails. Persistent errors surface in the next query.
  pool.on('error', () => {});
  return new PostgresDialect({ pool });
}

/** The driver returns 64-bit integers as text. */
function parseSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new RangeError('An integer in the database exceeds the safe integers.');
  return value;
}
