import type { Kysely } from 'kysely';

/** What a slot uses of a limit of its account beside its number, such as bytes of an upload. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('account_slot')
    .addColumn('amount', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('account_slot').dropColumn('amount').execute();
}
