import { Readable } from 'node:stream';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { auditHead, auditLine, toAuditBody } from '../../../domain/accounts/audit/audit-formats.ts';
import type { AuditEvent } from '../../../domain/accounts/audit/audit-log.ts';
import type { ApiDeps } from '../../dependencies.ts';
import { LedgerReportSchema, toLedgerReport } from '../../schemas/accounts/ledger-report.ts';
import { TimeInputSchema } from '../../schemas/accounts/money.ts';
import { errorResponses } from '../../schemas/error-body.ts';

const config = { scope: 'admin' } as const;
const tags = ['admin'];

/** Verification of the ledger, and export of the audit log. */
export const adminLedgerRoutes: FastifyPluginAsyncZod<Pick<ApiDeps, 'accounting' | 'audit'>> = async (
  app,
  { accounting, audit },
) => {
  app.get(
    '/v1/admin/ledger',
    {
      config,
      schema: {
        operationId: 'adminVerifyLedger',
        summary: 'Verify the ledger',
        description: 'Recomputes every balance from the transfers. On SQLite this blocks other requests.',
        tags,
        response: { 200: LedgerReportSchema, ...errorResponses('invalid_api_key', 'insufficient_scope') },
      },
    },
    async () => toLedgerReport(await accounting.ledger.verify()),
  );

  app.get(
    '/v1/admin/audit',
    {
      config,
      schema: {
        operationId: 'adminExportAudit',
        summary: 'Export the audit log',
        description: 'All events with actor, time and source address, oldest first. JSON lines or CSV.',
        tags,
        querystring: z.object({
          account_id: z.string().optional().describe('Only events of this account.'),
          from: TimeInputSchema.default(0),
          to: TimeInputSchema.optional(),
          format: z.enum(['jsonl', 'csv']).default('jsonl'),
        }),
        response: {
          200: {
            description: 'One event per line.',
            content: {
              'application/jsonl': { schema: z.string() },
              'text/csv': { schema: z.string() },
            },
          },
          ...errorResponses('invalid_request', 'invalid_api_key', 'insufficient_scope'),
        },
      },
    },
    async ({ query }, reply) => {
      const { account_id: accountId, from: fromMs, to: toMs = Date.now() + 1, format } = query;
      const events = audit.read({ accountId, fromMs, toMs });
      const isCsv = format === 'csv';
      const lines = isCsv ? writeCsv(events) : writeJsonLines(events);
      reply.type(isCsv ? 'text/csv; charset=utf-8' : 'application/jsonl; charset=utf-8');
      return reply.send(Readable.from(lines) as never);
    },
  );
};

async function* writeJsonLines(events: AsyncIterable<AuditEvent>): AsyncGenerator<string> {
  for await (const event of events) yield `${JSON.stringify(toAuditBody(event))}\n`;
}

async function* writeCsv(events: AsyncIterable<AuditEvent>): AsyncGenerator<string> {
  yield auditHead();
  for await (const event of events) yield auditLine(event);
}
