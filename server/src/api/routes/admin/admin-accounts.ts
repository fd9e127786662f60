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
import { errorResponses } from '../../schemas/error-body.ts';
import { actorOf } from '../../wire/actor.ts';

const config = { scope: 'admin' } as const;
const tags = ['admin'];
const Params = z.object({ id: z.string().describe('The id of the account.') });
const KEY_ERRORS = ['invalid_api_key', 'insufficient_scope'] as const;

/** Administration of accounts and their credit. */
export const adminAccountRoutes: FastifyPluginAsyncZod<
  Pick<ApiDeps, 'administration' | 'accounting'>
> = async (app, { administration, accounting }) => {
  const bodyOf = async (account: StoredAccount) =>
    toAccountBody(account, await administration.wallet(account.id));

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
          ...errorResponses(
            'invalid_request',
            'invalid_body',
            'unsupported_media_type',
            ...KEY_ERRORS,
            ...IDEMPOTENCY_ERRORS,
          ),
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
          ...errorResponses(
            'invalid_request',
            'invalid_body',
            'unsupported_media_type',
            ...KEY_ERRORS,
            'account_not_found',
          ),
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
            'invalid_request',
            'invalid_body',
            'unsupported_media_type',
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
      if (usd === 0 || (usd < 0 && kind !== 'adjustment')) {
        throw new ApiError(
          'invalid_request',
          'The amount must be positive; only an adjustment may be negative.',
        );
      }
      const header = request.headers['idempotency-key'];
      const transfer = {
        accountId: request.params.id,
        amountNano: usd,
        id: id ?? (typeof header === 'string' ? header : undefined),
        memo,
      };
      const methods = { top_up: 'topUp', adjustment: 'adjust', refund: 'refund' } as const;
      await administration[methods[kind]](actorOf(request), transfer);
      return bodyOf(await administration.requireAccount(request.params.id));
    },
  );
};
