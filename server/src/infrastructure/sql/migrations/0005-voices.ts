import type { Kysely } from 'kysely';

/** The voice library and the use counts of voices. Lists and vectors are JSON. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('voice')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('account.id'))
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('visibility', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('tags', 'text', (column) => column.notNull())
    .addColumn('languages', 'text', (column) => column.notNull())
    .addColumn('cover_file', 'text')
    .addColumn('samples', 'text', (column) => column.notNull())
    .addColumn('clips', 'text', (column) => column.notNull())
    .addColumn('clone', 'text', (column) => column.notNull())
    .addColumn('cloner', 'text', (column) => column.notNull())
    .addColumn('consent_account_id', 'text', (column) => column.notNull())
    .addColumn('consent_key_id', 'text', (column) => column.notNull())
    .addColumn('consent_at', 'bigint', (column) => column.notNull())
    .addColumn('consent_statement', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('voice_by_account').on('voice').columns(['account_id', 'created_at']).execute();
  await db.schema
    .createIndex('voice_by_visibility')
    .on('voice')
    .columns(['visibility', 'created_at'])
    .execute();
  await db.schema
    .createTable('voice_use')
    .addColumn('voice_id', 'text', (column) => column.primaryKey())
    .addColumn('uses', 'bigint', (column) => column.notNull())
    .execute();
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('voice_use').execute();
  await db.schema.dropTable('voice').execute();
}
