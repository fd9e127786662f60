import type { FastifyReply } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { createStatement, MONTH_PATTERN, monthRange } from '../../domain/accounts/ledger/statement.ts';
import { statementCsv, statementHtml } from '../../domain/accounts/ledger/statement-formats.ts';
import { USAGE_GROUPS } from '../../domain/accounts/ledger/usage.ts';
import type { ApiDeps } from '../dependencies.ts';
import { toUsageBody, toUsageCsv, UsageSchema, usageQuery, usageRange } from '../schemas/accounts/usage.ts';
import { errorResponses } from '../schemas/error-body.ts';

type UsageDeps = Pick<ApiDeps, 'accounting' | 'administration'>;

const OwnQuery = usageQuery(USAGE_GROUPS.filter((group) => group !== 'account'));
const AllQuery = usageQuery(USAGE_GROUPS).extend({
  account_id: z.string().optional().describe('Only this account.'),
});
const StatementQuery = z.object({
  month: z
    .string()
    .refine((month) => monthRange(month) !== undefined, 'month must have the format 2026-11')
    .meta({ pattern: MONTH_PATTERN.source })
    .describe('For example `2026-11`, UTC.'),
  format: z.enum(['csv', 'html']).default('html'),
});

const usageContent = {
  description: 'The usage.',
  content: { 'application/json': { schema: UsageSchema }, 'text/csv': { schema: z.string() } },
};
const statementContent = {
  description: 'The statement as CSV or as a printable page.',
  content: { 'text/html': { schema: z.string() }, 'text/csv': { schema: z.string() } },
};
const errors = errorResponses('invalid_request', 'invalid_api_key', 'insufficient_scope');

/** Usage and monthly statements: of the caller's account, and of all accounts for operators. */
export const usageRoutes: FastifyPluginAsyncZod<UsageDeps> = async (app, { accounting, administration }) => {
  async function sendUsage(reply: FastifyReply, query: z.output<typeof AllQuery>) {
    const range = usageRange(query, Date.now());
    const sums = await accounting.usage.sum({ accountId: query.account_id, ...range });
    if (query.format === 'csv') return sendText(reply, 'text/csv', toUsageCsv(sums, range.by));
    return reply.type('application/json').send(toUsageBody(sums, range));
  }

  async function sendStatement(reply: FastifyReply, id: string, query: z.output<typeof StatementQuery>) {
    const account = await administration.requireAccount(id);
    const statement = await createStatement(accounting, account, query.month);
    reply.header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'");
    return query.format === 'csv'
      ? sendText(reply, 'text/csv', statementCsv(statement))
      : sendText(reply, 'text/html', statementHtml(statement));
  }

  app.get(
    '/v1/usage',
    {
      config: { scope: 'wallet:read' },
      schema: {
        operationId: 'getUsage',
        summary: 'Get the usage of the account',
        tags: ['wallet'],
        querystring: OwnQuery,
        response: { 200: usageContent, ...errors },
      },
    },
    async (request, reply) => sendUsage(reply, { ...request.query, account_id: request.caller.accountId }),
  );

  app.get(
    '/v1/statement',
    {
      config: { scope: 'wallet:read' },
      schema: {
        operationId: 'getStatement',
        summary: 'Get the monthly statement of the account',
        tags: ['wallet'],
        querystring: StatementQuery,
        response: { 200: statementContent, ...errors },
      },
    },
    async (request, reply) => sendStatement(reply, request.caller.accountId, request.query),
  );

  app.get(
    '/v1/admin/usage',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'adminGetUsage',
        summary: 'Get the usage of all accounts',
        tags: ['admin'],
        querystring: AllQuery,
        response: { 200: usageContent, ...errors },
      },
    },
    async (request, reply) => sendUsage(reply, request.query),
  );

  app.get(
    '/v1/admin/accounts/:id/statement',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'adminGetStatement',
        summary: 'Get the monthly statement of an account',
        tags: ['admin'],
        params: z.object({ id: z.string() }),
        querystring: StatementQuery,
        response: {
          200: statementContent,
          ...errorResponses('invalid_request', 'invalid_api_key', 'insufficient_scope', 'account_not_found'),
        },
      },
    },
    async (request, reply) => sendStatement(reply, request.params.id, request.query),
  );
};

function sendText(reply: FastifyReply, type: string, text: string): FastifyReply {
  return reply.type(`${type}; charset=utf-8`).send(text);
}
