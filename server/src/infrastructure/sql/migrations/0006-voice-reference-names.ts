import type { Kysely } from 'kysely';

/** Names of voices, unique within an account, for use as `reference_id`. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('voice').addColumn('reference_name', 'text').execute();
  await db.schema
    .createIndex('voice_by_reference_name')
    .on('voice')
    .columns(['account_id', 'reference_name'])
    .unique()
    .execute();
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('voice_by_reference_name').execute();
  await db.schema.alterTable('voice').dropColumn('reference_name').execute();
}
