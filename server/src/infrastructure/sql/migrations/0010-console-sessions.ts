import type { Kysely } from 'kysely';

/** Sessions of the web console. Times are in milliseconds since 1970. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('console_session')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('token_hash', 'text', (column) => column.notNull().unique())
    .addColumn('token_created_at', 'bigint', (column) => column.notNull())
    .addColumn('previous_hash', 'text')
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('user_agent', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('last_used_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('console_session_by_previous_hash')
    .on('console_session')
    .column('previous_hash')
    .execute();
  await db.schema
    .createIndex('console_session_by_account')
    .on('console_session')
    .column('account_id')
    .execute();
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('console_session').execute();
}
