import { formatCsv } from '../csv.ts';
import type { AuditEvent } from './audit-log.ts';

const COLUMNS = ['at', 'actor', 'source', 'action', 'account_id', 'target', 'facts'] as const;

/** An event as JSON. */
export function toAuditBody(event: AuditEvent) {
  return {
    id: event.id,
    at: new Date(event.atMs).toISOString(),
    actor: event.actor.name,
    source: event.actor.source,
    action: event.action,
    account_id: event.accountId ?? null,
    target: event.target,
    facts: event.facts,
  };
}

/** The header line of the CSV format. */
export function auditHead(): string {
  return formatCsv(COLUMNS, []);
}

/** An event as a line of CSV. */
export function auditLine(event: AuditEvent): string {
  const body = { ...toAuditBody(event), facts: JSON.stringify(event.facts) };
  return formatCsv(
    COLUMNS.map((name) => body[name] ?? ''),
    [],
  );
}
