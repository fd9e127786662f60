import type { Kysely } from 'kysely';

/** Sizes of stored responses, to be read without the responses. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('idempotency_sizes')
    .on('idempotency')
    .columns(['account_id', 'created_at', 'key', 'body_bytes'])
    .execute();
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('idempotency_sizes').execute();
}
