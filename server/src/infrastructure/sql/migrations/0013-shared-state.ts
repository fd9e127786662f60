import { type Kysely, sql } from 'kysely';
import { isPostgres } from '../database-clock.ts';

/** State that several servers on one PostgreSQL database share. Times are in milliseconds since 1970. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('account_slot')
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('account_slot_key', ['account_id', 'kind', 'number'])
    .execute();
  await db.schema.createIndex('account_slot_by_owner').on('account_slot').column('owner').execute();
  await db.schema
    .createTable('rate_limit')
    .addColumn('key_id', 'text', (column) => column.primaryKey())
    .addColumn('arrival_at', 'double precision', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('gateway')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('host', 'text', (column) => column.notNull())
    .addColumn('version', 'text', (column) => column.notNull())
    .addColumn('settings', 'text', (column) => column.notNull())
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.alterTable('voice').addColumn('training_until', 'bigint').execute();
  if (isPostgres(db)) await addNotifications(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  if (isPostgres(db)) {
    for (const [table] of NOTIFICATIONS) {
      await sql`drop trigger if exists ${sql.ref(`mynah_${table}_change`)} on ${sql.table(table)}`.execute(
        db,
      );
    }
    await sql`drop function if exists mynah_notify_change()`.execute(db);
  }
  await db.schema.alterTable('voice').dropColumn('training_until').execute();
  for (const table of ['gateway', 'rate_limit', 'account_slot']) await db.schema.dropTable(table).execute();
}

/** Tables whose changes are announced, and the columns that other servers cache. */
const NOTIFICATIONS = [
  ['api_key', ['revoked_at', 'expires_at', 'scopes', 'spend_cap', 'requests_per_minute']],
  ['account', ['deleted_at', 'concurrency_max', 'watermark']],
  ['voice', ['samples', 'clone', 'visibility']],
] as const;

/** The database announces changes itself, so that those of the command line are announced as well. */
async function addNotifications(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function mynah_notify_change() returns trigger language plpgsql as $$
    begin
      perform pg_notify('mynah_change', tg_table_name || ' ' || old.id);
      return null;
    end $$`.execute(db);
  for (const [table, columns] of NOTIFICATIONS) {
    await sql`
      create trigger ${sql.ref(`mynah_${table}_change`)}
      after delete or update of ${sql.join(columns.map((column) => sql.ref(column)))} on ${sql.table(table)}
      for each row execute function mynah_notify_change()`.execute(db);
  }
}
