import { randomUUID } from 'node:crypto';
import type { AuditAction, AuditEvent, AuditLog, AuditQuery } from '../../domain/accounts/audit/audit-log.ts';
import type { Database } from './database.ts';

const PAGE = 500;

/** The audit log. Triggers of the database reject updates and deletions. */
export class SqlAuditLog implements AuditLog {
  readonly #db: Database;
  readonly #now: () => number;

  constructor(db: Database, now: () => number = Date.now) {
    this.#db = db;
    this.#now = now;
  }

  async record(event: Omit<AuditEvent, 'id' | 'atMs'>): Promise<void> {
    const atMs = this.#now();
    await this.#db
      .insertInto('audit_event')
      .values({
        // Ids sort by time, which the paging relies on.
        id: `${String(atMs).padStart(15, '0')}-${randomUUID()}`,
        created_at: atMs,
        actor: event.actor.name,
        source: event.actor.source,
        action: event.action,
        account_id: event.accountId ?? null,
        target: event.target,
        facts: JSON.stringify(event.facts),
      })
      .execute();
  }

  async *read({ accountId, fromMs, toMs }: AuditQuery): AsyncGenerator<AuditEvent> {
    let after = '';
    while (true) {
      let query = this.#db
        .selectFrom('audit_event')
        .selectAll()
        .where('created_at', '>=', fromMs)
        .where('created_at', '<', toMs)
        .where('id', '>', after)
        .orderBy('id')
        .limit(PAGE);
      if (accountId !== undefined) query = query.where('account_id', '=', accountId);
      const rows = await query.execute();
      for (const row of rows) {
        yield {
          id: row.id,
          atMs: row.created_at,
          actor: { name: row.actor, source: row.source },
          action: row.action as AuditAction,
          accountId: row.account_id ?? undefined,
          target: row.target,
          facts: JSON.parse(row.facts) as Record<string, unknown>,
        };
      }
      if (rows.length < PAGE) return;
      after = rows.at(-1)!.id;
    }
  }
}
