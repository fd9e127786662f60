import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_MIGRATION_TABLE, type Kysely, type MigrationResultSet, Migrator, sql } from 'kysely';
import { isPostgres } from './database-clock.ts';
import { DatabaseOpenError } from './database-faults.ts';
import * as accountsAndKeys from './migrations/0001-accounts-and-keys.ts';
import * as transcriptionJobs from './migrations/0002-transcription-jobs.ts';
import * as money from './migrations/0003-money.ts';
import * as pronunciationDictionaries from './migrations/0004-pronunciation-dictionaries.ts';
import * as voices from './migrations/0005-voices.ts';
import * as voiceReferenceNames from './migrations/0006-voice-reference-names.ts';
import * as secrets from './migrations/0007-secrets.ts';
import * as accountWatermarks from './migrations/0008-account-watermarks.ts';
import * as leaseTokens from './migrations/0009-lease-tokens.ts';
import * as consoleSessions from './migrations/0010-console-sessions.ts';
import * as auditWithoutNames from './migrations/0011-audit-without-names.ts';
import * as idempotencySizes from './migrations/0012-idempotency-sizes.ts';
import * as sharedState from './migrations/0013-shared-state.ts';
import * as audiobookJobs from './migrations/0014-audiobook-jobs.ts';
import * as voiceRefinements from './migrations/0015-voice-refinements.ts';
import * as slotAmounts from './migrations/0016-slot-amounts.ts';
import * as loginCounts from './migrations/0017-login-counts.ts';
import * as audiobookDeletions from './migrations/0018-audiobook-deletions.ts';

/** All migrations. Their names are stored in every database and must not change. New ones are appended. */
const MIGRATIONS = {
  '0001-accounts-and-keys': accountsAndKeys,
  '0002-transcription-jobs': transcriptionJobs,
  '0003-money': money,
  '0004-pronunciation-dictionaries': pronunciationDictionaries,
  '0005-voices': voices,
  '0006-voice-reference-names': voiceReferenceNames,
  '0007-secrets': secrets,
  '0008-account-watermarks': accountWatermarks,
  '0009-lease-tokens': leaseTokens,
  '0010-console-sessions': consoleSessions,
  '0011-audit-without-names': auditWithoutNames,
  '0012-idempotency-sizes': idempotencySizes,
  '0013-shared-state': sharedState,
  '0014-audiobook-jobs': audiobookJobs,
  '0015-voice-refinements': voiceRefinements,
  '0016-slot-amounts': slotAmounts,
  '0017-login-counts': loginCounts,
  '0018-audiobook-deletions': audiobookDeletions,
};

/** Wait of a process for another one that migrates a SQLite database. */
const LOCK_TIMEOUT_MS = 600_000;
const LOCK_RETRY_MS = 250;

/** The names that are not migrations of this version: a newer version has applied them. */
export function findUnknownMigrations(applied: readonly string[]): string[] {
  return applied.filter((name) => !Object.hasOwn(MIGRATIONS, name));
}

/**
 * Applies pending migrations, all or none: a process that is killed leaves the database as it was. Of several
 * concurrent processes one applies them, under an advisory lock in PostgreSQL and a write transaction in SQLite; the
 * others wait. Throws a `DatabaseOpenError` when a newer version has migrated the database.
 */
export async function migrate(db: Kysely<never>): Promise<void> {
  await assertKnown(db);
  const { error } = isPostgres(db) ? await apply(db) : await migrateSqlite(db);
  if (error === undefined) return;
  // A newer version may have migrated the database in the meantime.
  await assertKnown(db);
  throw new Error('The database cannot be upgraded.', { cause: error });
}

function apply(db: Kysely<never>): Promise<MigrationResultSet> {
  return new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } }).migrateToLatest();
}

/** Kysely uses no transaction for SQLite, although SQLite rolls back changes of the schema. */
async function migrateSqlite(db: Kysely<never>): Promise<MigrationResultSet> {
  return db.connection().execute(async (connection) => {
    await beginWriting(connection);
    const result = await apply(connection);
    await (result.error === undefined ? sql`commit` : sql`rollback`).execute(connection);
    return result;
  });
}

async function beginWriting(connection: Kysely<never>): Promise<void> {
  for (const endMs = Date.now() + LOCK_TIMEOUT_MS; ; await sleep(LOCK_RETRY_MS)) {
    try {
      await sql`begin immediate`.execute(connection);
      return;
    } catch (error) {
      if (!isLocked(error) || Date.now() > endMs) throw error;
    }
  }
}

function isLocked(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  if (typeof code === 'string' && code.startsWith('SQLITE_BUSY')) return true;
  return cause !== undefined && isLocked(cause);
}

async function assertKnown(db: Kysely<never>): Promise<void> {
  const [unknown] = findUnknownMigrations(await readApplied(db));
  if (unknown === undefined) return;
  throw new DatabaseOpenError(
    `The database was upgraded by a newer version of Mynah (schema ${unknown}); use that version, or restore a backup that this version has made (schema_newer).`,
    { code: 'schema_newer' },
  );
}

async function readApplied(db: Kysely<never>): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === DEFAULT_MIGRATION_TABLE)) return [];
  const { rows } = await sql<{
    name: string;
  }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`.execute(db);
  return rows.map(({ name }) => name);
}
