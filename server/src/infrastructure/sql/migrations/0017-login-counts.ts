import type { Kysely } from 'kysely';

/** Logins by network address and by key, which several servers on one PostgreSQL database limit together. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('login_count')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('count', 'integer', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('login_count').execute();
}
