import { sql } from 'kysely';
import { ApiError } from '../../errors.ts';
import type { Database } from './database.ts';
import { isPostgres } from './database-clock.ts';

/** One sentence about damage to the file of a SQLite database; undefined when there is none. Reads all of the file. */
export async function findDamage(db: Database): Promise<string | undefined> {
  if (isPostgres(db)) return undefined;
  try {
    const { rows } = await sql<{ quick_check: string }>`pragma quick_check(1)`.execute(db);
    const result = rows[0]?.quick_check ?? 'no result';
    return result === 'ok'
      ? undefined
      : `The file of the database is damaged: ${result.replaceAll('\n', '; ')}.`;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return 'The file of the database is damaged and cannot be read.';
  }
}
