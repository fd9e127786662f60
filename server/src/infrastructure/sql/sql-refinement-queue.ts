import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely';
import type { ClaimedRefinement, RefinementQueue } from '../../domain/voices/refinement-queue.ts';
import type { RefinementState, StoredVoice } from '../../domain/voices/stored-voice.ts';
import type { Database } from './database.ts';
import { databaseTime } from './database-clock.ts';
import type { Tables } from './schema.ts';

/** The refinements of the table of voices. */
export class SqlRefinementQueue implements RefinementQueue {
  readonly #db: Database;
  readonly #find: (id: string) => Promise<StoredVoice | undefined>;

  constructor(db: Database, find: (id: string) => Promise<StoredVoice | undefined>) {
    this.#db = db;
    this.#find = find;
  }

  async claimRefinement(leaseMs: number, lastAccountId = ''): Promise<ClaimedRefinement | undefined> {
    const now = databaseTime(this.#db);
    const next = await this.#db
      .selectFrom('voice')
      .select('id')
      .where('refinement', '=', PENDING)
      .where((where) => isExpired(where, now))
      .orderBy(sql`case when account_id = ${lastAccountId} then 1 else 0 end`)
      .orderBy('created_at')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    if (next === undefined) return undefined;
    // Of several servers that selected the same voice, one finds its lease expired.
    const row = await this.#db
      .updateTable('voice')
      .set({
        refinement_until: databaseTime(this.#db, leaseMs),
        refinement_attempts: sql<number>`refinement_attempts + 1`,
      })
      .where('id', '=', next.id)
      .where('refinement', '=', PENDING)
      .where((where) => isExpired(where, now))
      .returning('refinement_attempts')
      .executeTakeFirst();
    const voice = row && (await this.#find(next.id));
    return voice && { voice, attempt: Number(row.refinement_attempts) };
  }

  async renewRefinement(id: string, leaseMs: number): Promise<boolean> {
    const row = await this.#db
      .updateTable('voice')
      .set({ refinement_until: databaseTime(this.#db, leaseMs) })
      .where('id', '=', id)
      .returning('id')
      .executeTakeFirst();
    return row !== undefined;
  }

  async releaseRefinement(id: string): Promise<void> {
    await this.#db
      .updateTable('voice')
      .set({ refinement_until: null, refinement_attempts: sql<number>`refinement_attempts - 1` })
      .where('id', '=', id)
      .execute();
  }
}

const PENDING = 'pending' satisfies RefinementState;

function isExpired(where: ExpressionBuilder<Tables, 'voice'>, now: RawBuilder<number>) {
  return where.or([where('refinement_until', 'is', null), where('refinement_until', '<=', now)]);
}
