import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { ApiDeps } from '../../dependencies.ts';
import { IDEMPOTENCY_ERRORS } from '../../metering/idempotent-request.ts';
import { KeyParams, keyInputOf, respondWithNewKey } from '../../metering/key-request.ts';
import {
  CreatedKeySchema,
  KeyChangeSchema,
  KeySchema,
  NewKeySchema,
  RotationSchema,
  toKeyBody,
} from '../../schemas/accounts/account.ts';
import { errorResponses, JSON_BODY_ERRORS, KEY_ERRORS } from '../../schemas/error-body.ts';
import { actorOf } from '../../wire/actor.ts';

const config = { scope: 'admin' } as const;
const tags = ['admin'];

/** Administration of API keys. */
export const adminKeyRoutes: FastifyPluginAsyncZod<Pick<ApiDeps, 'administration' | 'accounting'>> = async (
  app,
  { administration, accounting },
) => {
  app.get(
    '/v1/admin/keys',
    {
      config,
      schema: {
        operationId: 'adminListKeys',
        summary: 'List API keys',
        tags,
        querystring: z.object({ account_id: z.string().optional().describe('Only keys of this account.') }),
        response: { 200: z.object({ items: z.array(KeySchema) }), ...errorResponses(...KEY_ERRORS) },
      },
    },
    async ({ query }) => ({ items: (await administration.listKeys(query.account_id)).map(toKeyBody) }),
  );

  app.post(
    '/v1/admin/keys',
    {
      config,
      schema: {
        operationId: 'adminCreateKey',
        summary: 'Create an API key',
        description:
          'The key is shown only in this response. A repeated `Idempotency-Key` creates no second key and shows none.',
        tags,
        body: NewKeySchema,
        response: {
          201: CreatedKeySchema,
          ...errorResponses(...JSON_BODY_ERRORS, ...KEY_ERRORS, 'account_not_found', ...IDEMPOTENCY_ERRORS),
        },
      },
    },
    async (request, reply) => {
      await respondWithNewKey(accounting.idempotency, { request, reply }, (id) =>
        administration.createKey(actorOf(request), {
          id,
          accountId: request.body.account_id,
          ...keyInputOf(request.body),
        }),
      );
    },
  );

  app.patch(
    '/v1/admin/keys/:id',
    {
      config,
      schema: {
        operationId: 'adminChangeKey',
        summary: 'Change an API key',
        tags,
        params: KeyParams,
        body: KeyChangeSchema,
        response: { 200: KeySchema, ...errorResponses(...JSON_BODY_ERRORS, ...KEY_ERRORS, 'key_not_found') },
      },
    },
    async (request) => {
      const { name, scopes, expires_at, spend_cap, requests_per_minute } = request.body;
      const key = await administration.changeKey(actorOf(request), request.params.id, {
        ...(name !== undefined && { name }),
        ...(scopes !== undefined && { scopes }),
        ...(expires_at !== undefined && { expiresAtMs: expires_at ?? undefined }),
        ...(spend_cap !== undefined && { spendCapNano: spend_cap ?? undefined }),
        ...(requests_per_minute !== undefined && { requestsPerMinute: requests_per_minute ?? undefined }),
      });
      return toKeyBody(key);
    },
  );

  app.post(
    '/v1/admin/keys/:id/rotate',
    {
      config,
      schema: {
        operationId: 'adminRotateKey',
        summary: 'Replace an API key',
        description: 'The new key has the settings of the old one, including the amount spent of its cap.',
        tags,
        params: KeyParams,
        body: RotationSchema,
        response: {
          201: CreatedKeySchema,
          ...errorResponses(...JSON_BODY_ERRORS, ...KEY_ERRORS, 'key_not_found', ...IDEMPOTENCY_ERRORS),
        },
      },
    },
    async (request, reply) => {
      const graceMs = request.body.grace_seconds * 1000;
      await respondWithNewKey(accounting.idempotency, { request, reply }, (successorId) =>
        administration.rotateKey(actorOf(request), request.params.id, { graceMs, successorId }),
      );
    },
  );

  app.delete(
    '/v1/admin/keys/:id',
    {
      config,
      schema: {
        operationId: 'adminRevokeKey',
        summary: 'Revoke an API key',
        description: 'Takes effect at once: the next request fails, and live connections are closed.',
        tags,
        params: KeyParams,
        response: { 200: KeySchema, ...errorResponses(...KEY_ERRORS, 'key_not_found') },
      },
    },
    async (request) => toKeyBody(await administration.revokeKey(actorOf(request), request.params.id)),
  );
};
