import type { Kysely } from 'kysely';

/** Transcription jobs and their segments. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('transcription_job')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('account.id'))
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('options', 'text', (column) => column.notNull())
    .addColumn('view', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('finished_at', 'bigint')
    .addColumn('lease_until', 'bigint', (column) => column.notNull())
    .addColumn('heard_ms', 'bigint', (column) => column.notNull())
    .addColumn('fraction_ppm', 'bigint', (column) => column.notNull())
    .addColumn('attempts', 'bigint', (column) => column.notNull())
    .addColumn('transcript', 'text')
    .addColumn('failure', 'text')
    .execute();
  await db.schema
    .createIndex('transcription_job_by_status')
    .on('transcription_job')
    .columns(['status', 'created_at'])
    .execute();
  await db.schema
    .createTable('transcription_segment')
    .addColumn('job_id', 'text', (column) =>
      column.notNull().references('transcription_job.id').onDelete('cascade'),
    )
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('transcription_segment_key', ['job_id', 'position'])
    .execute();
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('transcription_segment').execute();
  await db.schema.dropTable('transcription_job').execute();
}
