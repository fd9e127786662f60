import { type Kysely, sql } from 'kysely';
import { isPostgres } from '../database-clock.ts';

/** Other servers stop the work on a deleted audiobook, and remove their copies of its files. */
export async function up(db: Kysely<unknown>): Promise<void> {
  if (!isPostgres(db)) return;
  await sql`
    create trigger mynah_audiobook_job_change after delete on audiobook_job
    for each row execute function mynah_notify_change()`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  if (isPostgres(db))
    await sql`drop trigger if exists mynah_audiobook_job_change on audiobook_job`.execute(db);
}
