import { sql } from 'kysely';
import {
  type CountedLogins,
  LOGIN_WINDOW_MS,
  type LoginCounter,
} from '../../../domain/accounts/sessions/login-limit.ts';
import type { Database } from '../database.ts';
import { databaseTime } from '../database-clock.ts';

/** Counts logins on all servers of a PostgreSQL database together. */
export class SqlLoginCounter implements LoginCounter {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async find(name: string): Promise<CountedLogins | undefined> {
    const now = databaseTime(this.#db);
    const { rows } = await sql<{ count: number; remaining_ms: number }>`
      select count, (expires_at - ${now})::float8 as remaining_ms from login_count
      where name = ${name} and expires_at > ${now}`.execute(this.#db);
    const [row] = rows;
    return row && { count: row.count, remainingMs: row.remaining_ms };
  }

  async add(name: string): Promise<void> {
    const now = databaseTime(this.#db);
    await sql`
      insert into login_count (name, count, expires_at)
      values (${name}, 1, ${databaseTime(this.#db, LOGIN_WINDOW_MS)})
      on conflict (name) do update set
        count = case when login_count.expires_at > ${now} then login_count.count + 1 else 1 end,
        expires_at = case when login_count.expires_at > ${now} then login_count.expires_at
          else excluded.expires_at end`.execute(this.#db);
  }

  /** Removes the names whose window has ended. */
  async removeExpired(): Promise<void> {
    await this.#db.deleteFrom('login_count').where('expires_at', '<=', databaseTime(this.#db)).execute();
  }
}
