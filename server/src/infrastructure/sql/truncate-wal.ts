import { sql } from 'kysely';
import type { Database } from './database.ts';
import { isPostgres } from './database-clock.ts';

/**
 * Empties the write-ahead log of SQLite, which holds earlier versions of changed and deleted rows. Does nothing for
 * PostgreSQL, and leaves the log to the next call while another process reads the database.
 */
export async function truncateWal(db: Database): Promise<void> {
  if (!isPostgres(db)) await sql`pragma wal_checkpoint(truncate)`.execute(db);
}
