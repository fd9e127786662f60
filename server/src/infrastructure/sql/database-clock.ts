import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely';

/** Whether the database is PostgreSQL; otherwise it is SQLite. */
export function isPostgres<Schema>(db: Kysely<Schema>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

/**
 * The time of the database in milliseconds since 1970, `offsetMs` from now. Decides about leases: the clocks of
 * several servers differ, and that of a suspended process may be read long before the statement runs.
 */
export function databaseTime<Schema>(db: Kysely<Schema>, offsetMs = 0): RawBuilder<number> {
  return isPostgres(db)
    ? sql<number>`(cast(extract(epoch from clock_timestamp()) * 1000 as bigint) + cast(${offsetMs} as bigint))`
    : sql<number>`(cast(unixepoch('subsec') * 1000 as integer) + ${offsetMs})`;
}
