import type { Kysely } from 'kysely';

/** Pronunciation dictionaries and their versions. The items of a version are one JSON value, because they are always read together. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('dictionary')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('account.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('latest_version_id', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('archived_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('dictionary_by_account')
    .on('dictionary')
    .columns(['account_id', 'created_at', 'id'])
    .execute();
  await db.schema
    .createTable('dictionary_version')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('dictionary_id', 'text', (column) => column.notNull().references('dictionary.id'))
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('item_count', 'integer', (column) => column.notNull())
    .addColumn('items', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('archived_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('dictionary_version_by_dictionary')
    .on('dictionary_version')
    .columns(['dictionary_id', 'created_at', 'id'])
    .execute();
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('dictionary_version').execute();
  await db.schema.dropTable('dictionary').execute();
}
