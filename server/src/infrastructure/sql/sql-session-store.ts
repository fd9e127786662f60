import type { Selectable } from 'kysely';
import type { SessionStore, StoredSession } from '../../domain/accounts/sessions/session-store.ts';
import type { Database } from './database.ts';
import type { Tables } from './schema.ts';

/** Sessions of the web console. */
export class SqlSessionStore implements SessionStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async add(session: StoredSession): Promise<void> {
    await this.#db
      .insertInto('console_session')
      .values({
        id: session.id,
        account_id: session.accountId,
        key_id: session.keyId,
        token_hash: session.tokenHash,
        token_created_at: session.tokenCreatedAtMs,
        previous_hash: session.previousHash ?? null,
        source: session.source,
        user_agent: session.userAgent,
        created_at: session.createdAtMs,
        expires_at: session.expiresAtMs,
        last_used_at: session.lastUsedAtMs,
      })
      .execute();
  }

  async findByHash(hash: string): Promise<StoredSession | undefined> {
    // Both columns have an index.
    const row = await this.#db
      .selectFrom('console_session')
      .selectAll()
      .where((where) => where.or([where('token_hash', '=', hash), where('previous_hash', '=', hash)]))
      .executeTakeFirst();
    return row && toStoredSession(row);
  }

  async replaceToken(
    id: string,
    { expectedHash, tokenHash, atMs }: { expectedHash: string; tokenHash: string; atMs: number },
  ): Promise<boolean> {
    const changed = await this.#db
      .updateTable('console_session')
      .set({ token_hash: tokenHash, token_created_at: atMs, previous_hash: expectedHash })
      .where('id', '=', id)
      .where('token_hash', '=', expectedHash)
      .returning('id')
      .executeTakeFirst();
    return changed !== undefined;
  }

  async recordUse(id: string, atMs: number): Promise<void> {
    await this.#db.updateTable('console_session').set({ last_used_at: atMs }).where('id', '=', id).execute();
  }

  async list(accountId: string, nowMs: number): Promise<readonly StoredSession[]> {
    const rows = await this.#db
      .selectFrom('console_session')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('expires_at', '>', nowMs)
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .execute();
    return rows.map(toStoredSession);
  }

  async delete(id: string, accountId: string): Promise<boolean> {
    const deleted = await this.#db
      .deleteFrom('console_session')
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .returning('id')
      .executeTakeFirst();
    return deleted !== undefined;
  }

  async deleteExpired(nowMs: number): Promise<void> {
    await this.#db.deleteFrom('console_session').where('expires_at', '<=', nowMs).execute();
  }
}

function toStoredSession(row: Selectable<Tables['console_session']>): StoredSession {
  return {
    id: row.id,
    accountId: row.account_id,
    keyId: row.key_id,
    tokenHash: row.token_hash,
    tokenCreatedAtMs: row.token_created_at,
    previousHash: row.previous_hash ?? undefined,
    source: row.source,
    userAgent: row.user_agent,
    createdAtMs: row.created_at,
    expiresAtMs: row.expires_at,
    lastUsedAtMs: row.last_used_at,
  };
}
