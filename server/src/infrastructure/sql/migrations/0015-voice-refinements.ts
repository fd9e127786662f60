import type { Kysely } from 'kysely';

/** The queue of refinements: the state of each voice, and the lease of the server that refines it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const table = db.schema.alterTable('voice');
  await table.addColumn('refinement', 'text', (column) => column.notNull().defaultTo('none')).execute();
  await table.addColumn('refinement_until', 'bigint').execute();
  await table
    .addColumn('refinement_attempts', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createIndex('voice_by_refinement')
    .on('voice')
    .columns(['refinement', 'created_at'])
    .execute();
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('voice_by_refinement').execute();
  for (const column of ['refinement_attempts', 'refinement_until', 'refinement'])
    await db.schema.alterTable('voice').dropColumn(column).execute();
}
