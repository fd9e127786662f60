import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type Dialect,
  Kysely,
  PostgresDialect,
  type PostgresPoolClient,
  type SqliteDatabase,
  SqliteDialect,
} from 'kysely';
import Sqlite from 'libsql';
import pg from 'pg';
import { DatabaseAvailability } from './database-availability.ts';
import {
  assertStorable,
  type DatabaseFault,
  DatabaseOpenError,
  databaseUnavailable,
  postgresFault,
  sqliteFault,
} from './database-faults.ts';
import { migrate } from './migrate.ts';
import type { Tables } from './schema.ts';
import { StatementMonitor } from './statement-monitor.ts';

export type Database = Kysely<Tables>;

/** A database with its connections. */
export class OpenDatabase extends Kysely<Tables> {
  readonly availability: DatabaseAvailability;
  readonly statements: StatementMonitor;
  readonly #countConnections: () => ConnectionCounts;

  constructor({ dialect, availability, statements, countConnections }: Connections) {
    super({ dialect });
    this.availability = availability;
    this.statements = statements;
    this.#countConnections = countConnections;
  }

  /** The connections at this moment. */
  countConnections(): ConnectionCounts {
    return this.#countConnections();
  }

  override async destroy(): Promise<void> {
    this.availability.close();
    await super.destroy();
  }
}

/** Connections in use and idle, and requests that wait for one. */
export interface ConnectionCounts {
  readonly used: number;
  readonly idle: number;
  readonly waiting: number;
}

interface Connections {
  readonly dialect: Dialect;
  readonly availability: DatabaseAvailability;
  readonly statements: StatementMonitor;
  readonly countConnections: () => ConnectionCounts;
}

/** PostgreSQL connections. A request uses one for a few statements only. */
const POOL_SIZE = 10;
/** Maximum wait for a connection: a new one, or one in use by another request. */
const CONNECT_TIMEOUT_MS = 10_000;
/** A lost network shows in no statement while the server is idle. */
const IDLE_PROBE_MS = 5_000;
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

/**
 * Opens a PostgreSQL database or a SQLite file, creating the file when missing, and applies the migrations. Throws a
 * `DatabaseOpenError` when the database or its machine is at fault.
 */
export async function openDatabase(addressOrPath: string): Promise<OpenDatabase> {
  const isPostgres = /^postgres(ql)?:\/\//.test(addressOrPath);
  let problem: string | undefined;
  let db: OpenDatabase | undefined;
  try {
    db = new OpenDatabase(isPostgres ? openPostgres(addressOrPath) : openSqlite(addressOrPath));
    db.availability.onChange((change) => {
      problem ??= change;
    });
    await migrate(db as Kysely<Tables> as Kysely<never>);
    return db;
  } catch (error) {
    await db?.destroy();
    if (problem === undefined) throw error;
    throw new DatabaseOpenError(problem, { cause: error });
  }
}

function openSqlite(path: string): Connections {
  let sqlite: Sqlite.Database;
  try {
    // The folder contains key hashes and the first key: readable by the owner only.
    if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    sqlite = new Sqlite(path);
    sqlite.exec('pragma busy_timeout = 5000');
    // Concurrent readers and one writer: the command line may change keys while the server runs.
    sqlite.exec('pragma journal_mode = wal');
    sqlite.exec('pragma synchronous = normal');
    sqlite.exec('pragma foreign_keys = on');
    // Overwrites deleted content with zeros.
    sqlite.exec('pragma secure_delete = on');
  } catch (error) {
    const problem =
      sqliteFault(error, path)?.problem ??
      `The database ${path} cannot be opened: ${(error as Error).message}.`;
    throw new DatabaseOpenError(problem, { cause: error });
  }
  let isDamaged = false;
  // Writes a page of the file, because reading works while the disk is full or read-only.
  const probe = async () => {
    if (isDamaged) throw new Error('The file is damaged.');
    sqlite.exec('pragma user_version = 0');
  };
  const availability = new DatabaseAvailability(probe, undefined);
  const statements = new StatementMonitor('sqlite');
  const database = withFaults(withStatementCache(sqlite), {
    statements,
    isInTransaction: () => sqlite.inTransaction,
    faultOf: (error) => {
      const fault = sqliteFault(error, path);
      isDamaged ||= fault?.isPermanent === true;
      return fault;
    },
    onOutage: (problem) => availability.reportFailure(problem),
  });
  // Statements run synchronously on one connection.
  const countConnections = () => ({ used: 0, idle: 1, waiting: 0 });
  return { dialect: new SqliteDialect({ database }), availability, statements, countConnections };
}

/** Translates faults of the machine into errors for the client. */
function withFaults(
  sqlite: SqliteDatabase,
  options: {
    readonly statements: StatementMonitor;
    readonly isInTransaction: () => boolean;
    readonly faultOf: (error: unknown) => DatabaseFault | undefined;
    readonly onOutage: (problem: string) => void;
  },
): SqliteDatabase {
  const guard = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw translate(error, options.faultOf(error), options.onOutage);
    }
  };
  return {
    prepare(text) {
      const statement = guard(() => sqlite.prepare(text));
      return {
        reader: statement.reader,
        all(parameters) {
          assertStorable(parameters);
          return options.statements.run(text, () => guard(() => statement.all(parameters)));
        },
        run(parameters) {
          assertStorable(parameters);
          // SQLite itself rolls back after some faults.
          if (text === 'rollback' && !options.isInTransaction()) return { changes: 0, lastInsertRowid: 0 };
          return options.statements.run(text, () => guard(() => statement.run(parameters)));
        },
        iterate: (parameters) => statement.iterate(parameters),
      };
    },
    close: () => sqlite.close(),
  };
}

/** The error to throw for a failed statement. */
function translate(
  error: unknown,
  fault: DatabaseFault | undefined,
  onOutage: (problem: string) => void,
): unknown {
  if (fault === undefined) return error;
  if (fault.isOutage) onOutage(fault.problem);
  return databaseUnavailable(error);
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
      moveLogIntoFile(sqlite);
      sqlite.close();
    },
  };
}

/** Without this, the database file of a stopped server lacks what is in the write-ahead log, and a copy of it as well. */
function moveLogIntoFile(sqlite: SqliteDatabase): void {
  try {
    sqlite.prepare('pragma wal_checkpoint(truncate)').all([]);
  } catch {
    // The disk is full or the file is damaged; the log stays beside the file.
  }
}

function openPostgres(address: string): Connections {
  const pool = new pg.Pool({
    connectionString: address,
    max: POOL_SIZE,
    application_name: 'mynah',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    types: {
      getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
        oid === POSTGRES_INT8 ? parseSafeInteger : pg.types.getTypeParser(oid, format as 'text')) as never,
    },
  });
  const statements = new StatementMonitor('postgresql');
  const onOutage = (problem: string) => availability.reportFailure(problem);
  const guard = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw translate(error, postgresFault(error), onOutage);
    }
  };
  const probe = () =>
    guard(async () => {
      const { rows } = await pool.query<{ transaction_read_only: string }>('show transaction_read_only');
      if (rows[0]?.transaction_read_only !== 'off') throw new Error('the server is read-only');
    });
  const availability = new DatabaseAvailability(probe, IDLE_PROBE_MS);
  // The pool emits the error of an idle connection and replaces it.
  pool.on('error', (error) => translate(error, postgresFault(error), onOutage));
  // A connection in use emits its error too; without a listener that would end the process. Its statement rejects.
  pool.on('connect', (client) => client.on('error', () => {}));
  const connect = async (): Promise<PostgresPoolClient> => {
    const client = await guard(() => pool.connect());
    const query = (text: string, parameters: readonly unknown[]) => {
      assertStorable(parameters);
      return statements.runAsync(text, () => guard(() => client.query(text, [...parameters])));
    };
    return { query: query as unknown as PostgresPoolClient['query'], release: () => client.release() };
  };
  const countConnections = () => ({
    used: pool.totalCount - pool.idleCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount,
  });
  const dialect = new PostgresDialect({ pool: { connect, end: () => pool.end() } });
  return { dialect, availability, statements, countConnections };
}

/** The driver returns 64-bit integers as text. */
function parseSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new RangeError('An integer in the database exceeds the safe integers.');
  return value;
}
