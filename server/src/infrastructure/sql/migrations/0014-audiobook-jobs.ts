import type { Kysely } from 'kysely';

/** Books that are spoken in the background, and their spoken sections. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('audiobook_job')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('account.id'))
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('request', 'text', (column) => column.notNull())
    .addColumn('chapters', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('finished_at', 'bigint')
    .addColumn('lease_until', 'bigint', (column) => column.notNull())
    .addColumn('attempts', 'bigint', (column) => column.notNull())
    .addColumn('claims', 'bigint', (column) => column.notNull())
    .addColumn('sections_spoken', 'bigint', (column) => column.notNull())
    .addColumn('failure', 'text')
    .execute();
  await db.schema
    .createIndex('audiobook_job_by_status')
    .on('audiobook_job')
    .columns(['status', 'created_at'])
    .execute();
  await db.schema
    .createTable('audiobook_section')
    .addColumn('job_id', 'text', (column) =>
      column.notNull().references('audiobook_job.id').onDelete('cascade'),
    )
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('audiobook_section_key', ['job_id', 'position'])
    .execute();
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('audiobook_section').execute();
  await db.schema.dropTable('audiobook_job').execute();
}
