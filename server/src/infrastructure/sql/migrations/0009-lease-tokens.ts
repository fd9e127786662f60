import type { Kysely } from 'kysely';

/** What identifies the current owner of a job, and of a request with an idempotency key. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('transcription_job')
    .addColumn('claims', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('idempotency').addColumn('lease_token', 'text').execute();
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('transcription_job').dropColumn('claims').execute();
  await db.schema.alterTable('idempotency').dropColumn('lease_token').execute();
}
