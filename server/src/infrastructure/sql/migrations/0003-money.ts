import { type Kysely, PostgresAdapter, sql } from 'kysely';

/**
 * Scopes and limits of keys, the ledger, usage, stored responses of requests with an idempotency key, and the audit
 * log. Amounts are integers in nano-dollars. Triggers make transfers and audit events append-only.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await extendAccountsAndKeys(db);
  await createLedger(db);
  await createUsage(db);
  await createIdempotency(db);
  await createAudit(db);
  for (const table of ['ledger_transfer', 'audit_event']) await forbidChanges(db, table);
}

async function extendAccountsAndKeys(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('account')
    .addColumn('members', 'text', (column) => column.notNull().defaultTo('[]'))
    .execute();
  await db.schema.alterTable('account').addColumn('concurrency_max', 'integer').execute();
  await db.schema.alterTable('account').addColumn('deleted_at', 'bigint').execute();
  await db.schema
    .alterTable('api_key')
    .addColumn('scopes', 'text', (column) =>
      column.notNull().defaultTo('tts asr voices:read voices:write wallet:read'),
    )
    .execute();
  await db.schema.alterTable('api_key').addColumn('meter_id', 'text').execute();
  await db.schema.alterTable('api_key').addColumn('spend_cap', 'bigint').execute();
  await db.schema.alterTable('api_key').addColumn('requests_per_minute', 'integer').execute();
}

async function createLedger(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('wallet')
    .addColumn('account_id', 'text', (column) => column.primaryKey().references('account.id'))
    .addColumn('available', 'bigint', (column) => column.notNull().check(sql`available >= 0`))
    .addColumn('held', 'bigint', (column) => column.notNull().check(sql`held >= 0`))
    .addColumn('spent', 'bigint', (column) => column.notNull().check(sql`spent >= 0`))
    .addColumn('topped_up', 'bigint', (column) => column.notNull().check(sql`topped_up >= 0`))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('key_meter')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('held', 'bigint', (column) => column.notNull().check(sql`held >= 0`))
    .addColumn('spent', 'bigint', (column) => column.notNull().check(sql`spent >= 0`))
    .execute();
  await db.schema
    .createTable('hold')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('account.id'))
    .addColumn('meter_id', 'text', (column) => column.notNull())
    .addColumn('amount', 'bigint', (column) => column.notNull().check(sql`amount > 0`))
    .addColumn('settled', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('resolved_at', 'bigint')
    .execute();
  // Only open holds are queried by time, and they are few.
  await db.schema
    .createIndex('hold_open')
    .on('hold')
    .column('expires_at')
    .where(sql.ref('state'), '=', sql.lit('open'))
    .execute();
  await db.schema
    .createTable('ledger_transfer')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().references('account.id'))
    .addColumn('from_book', 'text', (column) => column.notNull())
    .addColumn('to_book', 'text', (column) => column.notNull())
    .addColumn('amount', 'bigint', (column) => column.notNull().check(sql`amount > 0`))
    .addColumn('hold_id', 'text', (column) => column.references('hold.id'))
    .addColumn('memo', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('ledger_transfer_by_account')
    .on('ledger_transfer')
    .columns(['account_id', 'created_at'])
    .execute();
}

async function createUsage(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('usage')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('service', 'text', (column) => column.notNull())
    .addColumn('model', 'text', (column) => column.notNull())
    .addColumn('voice', 'text', (column) => column.notNull())
    .addColumn('units', 'bigint', (column) => column.notNull())
    .addColumn('cost', 'bigint', (column) => column.notNull())
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('usage_by_account').on('usage').columns(['account_id', 'created_at']).execute();
}

async function createIdempotency(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('idempotency')
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempt', 'integer', (column) => column.notNull())
    .addColumn('lease_until', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('status', 'integer')
    .addColumn('headers', 'text')
    .addColumn('body', isPostgres(db) ? 'bytea' : 'blob')
    .addColumn('body_bytes', 'bigint', (column) => column.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('idempotency_key', ['account_id', 'key'])
    .execute();
  await db.schema.createIndex('idempotency_by_age').on('idempotency').column('created_at').execute();
}

async function createAudit(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('audit_event')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('actor', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('account_id', 'text')
    .addColumn('target', 'text', (column) => column.notNull())
    .addColumn('facts', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('audit_event_by_time').on('audit_event').column('created_at').execute();
}

async function forbidChanges(db: Kysely<unknown>, table: string): Promise<void> {
  const message = sql.lit(`${table} can only be added to`);
  if (isPostgres(db)) {
    const refuse = sql.raw(`${table}_refuse`);
    await sql`create function ${refuse}() returns trigger language plpgsql as $$ begin raise exception ${sql.raw(
      `'${table} can only be added to'`,
    )}; end $$`.execute(db);
    await sql`create trigger ${sql.raw(`${table}_is_append_only`)} before update or delete or truncate
      on ${sql.table(table)} for each statement execute function ${refuse}()`.execute(db);
    return;
  }
  for (const change of ['update', 'delete']) {
    await sql`create trigger ${sql.raw(`${table}_no_${change}`)} before ${sql.raw(change)} on ${sql.table(table)}
      begin select raise(abort, ${message}); end`.execute(db);
  }
}

function isPostgres(db: Kysely<unknown>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

export async function down(db: Kysely<unknown>): Promise<void> {
  for (const table of [
    'audit_event',
    'idempotency',
    'usage',
    'ledger_transfer',
    'hold',
    'key_meter',
    'wallet',
  ]) {
    await db.schema.dropTable(table).execute();
    if (isPostgres(db)) await sql`drop function if exists ${sql.raw(`${table}_refuse`)}`.execute(db);
  }
  for (const column of ['members', 'concurrency_max', 'deleted_at']) {
    await db.schema.alterTable('account').dropColumn(column).execute();
  }
  for (const column of ['scopes', 'meter_id', 'spend_cap', 'requests_per_minute']) {
    await db.schema.alterTable('api_key').dropColumn(column).execute();
  }
}
