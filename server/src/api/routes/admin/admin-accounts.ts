import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { StoredAccount } from '../../../domain/accounts/keys/key-store.ts';
import { ApiError } from '../../../errors.ts';
import type { ApiDeps } from '../../dependencies.ts';
import { createIdempotently, IDEMPOTENCY_ERRORS } from '../../metering/idempotent-request.ts';
import {
  AccountChangeSchema,
  AccountSchema,
  CreditSchema,
  NewAccountSchema,
  toAccountBody,
  toAccountChange,
} from '../../schemas/accounts/account.ts';
import { errorResponses, JSON_BODY_ERRORS, KEY_ERRORS } from '../../schemas/error-body.ts';
import { actorOf } from '../../wire/actor.ts';

const config = { scope: 'admin' } as const;
const tags = ['admin'];
const CREDIT_METHODS = { top_up: 'topUp', adjustment: 'adjust', refund: 'refund' } as const;
const Params = z.object({ id: z.string().describe('The id of the account.') });

type Administration = ApiDeps['administration'];

/** Administration of accounts and their credit. */
export const adminAccountRoutes: FastifyPluginAsyncZod<
  Pick<ApiDeps, 'administration' | 'accounting'>
> = async (app, { administration, accounting }) => {
  const bodyOf = (account: StoredAccount) => describeAccount(administration, account);

  app.get(
    '/v1/admin/accounts',
    {
      config,
      schema: {
        operationId: 'adminListAccounts',
        summary: 'List all accounts',
        tags,
        response: { 200: z.object({ items: z.array(AccountSchema) }), ...errorResponses(...KEY_ERRORS) },
      },
    },
    async () => ({ items: await Promise.all((await administration.listAccounts()).map(bodyOf)) }),
  );

  app.post(
    '/v1/admin/accounts',
    {
      config,
      schema: {
        operationId: 'adminCreateAccount',
        summary: 'Create an account',
        tags,
        body: NewAccountSchema,
        response: {
          201: AccountSchema,
          ...errorResponses(...JSON_BODY_ERRORS, ...KEY_ERRORS, ...IDEMPOTENCY_ERRORS),
        },
      },
    },
    async (request, reply) => {
      const { name, members, concurrency_max, watermark } = request.body;
      const concurrencyMax = concurrency_max ?? undefined;
      const account = { name, members, concurrencyMax, isWatermarked: watermark };
      await createIdempotently(
        accounting.idempotency,
        { request, reply },
        { status: 201 },
        async (attempt) => {
          const id = attempt && `acc_${attempt.resourceId}`;
          return bodyOf(await administration.createAccount(actorOf(request), { ...account, id }));
        },
      );
    },
  );

  app.get(
    '/v1/admin/accounts/:id',
    {
      config,
      schema: {
        operationId: 'adminGetAccount',
        summary: 'Get an account',
        tags,
        params: Params,
        response: { 200: AccountSchema, ...errorResponses(...KEY_ERRORS, 'account_not_found') },
      },
    },
    async ({ params }) => bodyOf(await administration.requireAccount(params.id)),
  );

  app.patch(
    '/v1/admin/accounts/:id',
    {
      config,
      schema: {
        operationId: 'adminChangeAccount',
        summary: 'Change an account',
        tags,
        params: Params,
        body: AccountChangeSchema,
        response: {
          200: AccountSchema,
          ...errorResponses(...JSON_BODY_ERRORS, ...KEY_ERRORS, 'account_not_found'),
        },
      },
    },
    async (request) => {
      const change = toAccountChange(request.body);
      return bodyOf(await administration.changeAccount(actorOf(request), request.params.id, change));
    },
  );

  app.delete(
    '/v1/admin/accounts/:id',
    {
      config,
      schema: {
        operationId: 'adminDeleteAccount',
        summary: 'Delete an account',
        description:
          'Revokes its keys and deletes its voices, audio and texts permanently. Transfers, usage records and the audit log remain. Returns the deleted account.',
        tags,
        params: Params,
        response: { 200: AccountSchema, ...errorResponses(...KEY_ERRORS, 'account_not_found') },
      },
    },
    async (request) => bodyOf(await administration.deleteAccount(actorOf(request), request.params.id)),
  );

  await app.register(creditRoute, { administration });
};

const creditRoute: FastifyPluginAsyncZod<{ readonly administration: Administration }> = async (
  app,
  { administration },
) => {
  app.post(
    '/v1/admin/accounts/:id/credit',
    {
      config,
      schema: {
        operationId: 'adminBookCredit',
        summary: 'Top up, adjust or refund credit',
        description: 'Returns the account after the transfer. Requests with the same `id` make one transfer.',
        tags,
        params: Params,
        body: CreditSchema,
        response: {
          200: AccountSchema,
          ...errorResponses(
            ...JSON_BODY_ERRORS,
            ...KEY_ERRORS,
            'account_not_found',
            'booking_id_reused',
            'amount_not_possible',
          ),
        },
      },
    },
    async (request) => {
      const { kind, usd, id, memo } = request.body;
      assertAmountSign(kind, usd);
      const header = request.headers['idempotency-key'];
      const transfer = {
        accountId: request.params.id,
        amountNano: usd,
        id: id ?? (typeof header === 'string' ? header : undefined),
        memo,
      };
      await administration[CREDIT_METHODS[kind]](actorOf(request), transfer);
      return describeAccount(administration, await administration.requireAccount(request.params.id));
    },
  );
};

async function describeAccount(administration: Administration, account: StoredAccount) {
  return toAccountBody(account, await administration.wallet(account.id));
}

function assertAmountSign(kind: keyof typeof CREDIT_METHODS, usd: number): void {
  if (usd > 0 || (usd < 0 && kind === 'adjustment')) return;
  throw new ApiError('invalid_request', 'The amount must be positive; only an adjustment may be negative.');
}
