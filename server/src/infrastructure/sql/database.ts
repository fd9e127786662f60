import { dirname, join } from 'node:path';
import { Kysely, type SqliteDatabase, SqliteDialect } from 'kysely';
import Sqlite from 'libsql';
import { createFolderSync } from '../../create-folder.ts';
import { isStorageFault, storageFault } from '../../errors.ts';
import { type ConnectionCounts, type Connections, translate } from './connections.ts';
import { DatabaseAvailability } from './database-availability.ts';
import { assertStorable, type DatabaseFault, DatabaseOpenError, sqliteFault } from './database-faults.ts';
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
    db = new OpenDatabase(isPostgres ? await openPostgres(addressOrPath) : openSqlite(addressOrPath));
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
    if (path !== ':memory:') createFolderSync(dirname(path), 0o700);
    sqlite = new Sqlite(path);
    sqlite.exec('pragma busy_timeout = 5000');
    // Concurrent readers and one writer: the command line may change keys while the server runs.
    sqlite.exec('pragma journal_mode = wal');
    sqlite.exec('pragma synchronous = normal');
    sqlite.exec('pragma foreign_keys = on');
    // Overwrites deleted content with zeros.
    sqlite.exec('pragma secure_delete = on');
  } catch (error) {
    const reason = isStorageFault(error) ? storageFault(error) : (error as Error).message;
    const problem = sqliteFault(error, path)?.problem ?? `The database ${path} cannot be opened: ${reason}.`;
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

async function openPostgres(address: string): Promise<Connections> {
  // The driver is loaded only where it is used: it takes 45 ms.
  const postgres = await import('./postgres/open-postgres.ts');
  return postgres.openPostgres(address);
}
