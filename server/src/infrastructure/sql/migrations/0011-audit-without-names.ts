import { type Kysely, PostgresAdapter, sql } from 'kysely';

/**
 * Removes names of accounts and keys, and consent statements, from the audit log, which outlives them. They are stored
 * with the account, key or voice.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const actions = sql`('account.create', 'key.create', 'voice.create')`;
  if (db.getExecutor().adapter instanceof PostgresAdapter) {
    await sql`alter table audit_event disable trigger audit_event_is_append_only`.execute(db);
    await sql`update audit_event set facts = cast(cast(facts as jsonb) - 'name' - 'consentStatement' as text)
      where action in ${actions}`.execute(db);
    await sql`alter table audit_event enable trigger audit_event_is_append_only`.execute(db);
    return;
  }
  await sql`drop trigger audit_event_no_update`.execute(db);
  await sql`update audit_event set facts = json_remove(facts, '$.name', '$.consentStatement')
    where action in ${actions}`.execute(db);
  await sql`create trigger audit_event_no_update before update on audit_event
    begin select raise(abort, 'audit_event can only be added to'); end`.execute(db);
}

/** The removed text is not stored anywhere else. */
export async function down(): Promise<void> {}
