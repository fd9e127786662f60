import { sql } from 'kysely';
import {
  RATE_WINDOW_MS,
  type RateCounter,
  type RateState,
} from '../../../domain/accounts/limits/rate-limiter.ts';
import type { Database } from '../database.ts';

/** Number of requests after which keys without recent requests are removed. */
const PRUNE_EVERY = 1000;

/** The rate limits of keys on all servers of a PostgreSQL database together. One statement for an allowed request. */
export class SqlRateLimiter implements RateCounter {
  readonly #db: Database;
  #counted = 0;

  constructor(db: Database) {
    this.#db = db;
  }

  async countRequest(keyId: string, limit: number): Promise<RateState> {
    const stepMs = RATE_WINDOW_MS / limit;
    this.#counted += 1;
    if (this.#counted % PRUNE_EVERY === 0) await this.#prune();
    const { rows } = await sql<{ used_ms: number }>`
      insert into rate_limit (key_id, arrival_at) values (${keyId}, ${NOW} + ${stepMs}::float8)
      on conflict (key_id) do update
      set arrival_at = greatest(rate_limit.arrival_at, ${NOW}) + ${stepMs}::float8
      where greatest(rate_limit.arrival_at, ${NOW}) + ${stepMs}::float8 - ${NOW} <= ${RATE_WINDOW_MS + 0.01}::float8
      returning arrival_at - ${NOW} as used_ms`.execute(this.#db);
    const usedMs = rows[0]?.used_ms;
    if (usedMs === undefined) {
      return { isAllowed: false, limit, remaining: 0, resetSeconds: await this.#resetSeconds(keyId, stepMs) };
    }
    const remaining = Math.max(0, Math.floor((RATE_WINDOW_MS - usedMs) / stepMs + 1e-3));
    return { isAllowed: true, limit, remaining, resetSeconds: usedMs / 1000 };
  }

  /** Removes keys without recent requests. */
  async #prune(): Promise<void> {
    await sql`delete from rate_limit where arrival_at < ${NOW}`.execute(this.#db);
  }

  async #resetSeconds(keyId: string, stepMs: number): Promise<number> {
    const { rows } = await sql<{ used_ms: number }>`
      select arrival_at - ${NOW} as used_ms from rate_limit where key_id = ${keyId}`.execute(this.#db);
    return Math.max(0, (rows[0]?.used_ms ?? 0) + stepMs - RATE_WINDOW_MS) / 1000;
  }
}

/** The time of the database at the start of the statement, in milliseconds since 1970. */
const NOW = sql`(extract(epoch from statement_timestamp())::float8 * 1000)`;
