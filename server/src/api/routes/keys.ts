import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { OwnKeys } from '../../domain/accounts/administration/own-keys.ts';
import type { ApiDeps } from '../dependencies.ts';
import { IDEMPOTENCY_ERRORS } from '../metering/idempotent-request.ts';
import { KeyParams, keyInputOf, respondWithNewKey } from '../metering/key-request.ts';
import {
  CreatedKeySchema,
  KeySchema,
  NewOwnKeySchema,
  RotationSchema,
  toKeyBody,
} from '../schemas/accounts/account.ts';
import { errorResponses, JSON_BODY_ERRORS, KEY_ERRORS } from '../schemas/error-body.ts';
import { actorOf } from '../wire/actor.ts';

const config = { scope: 'keys:write' } as const;
const tags = ['keys'];

/** The API keys of the account that calls. */
export const keyRoutes: FastifyPluginAsyncZod<Pick<ApiDeps, 'administration' | 'accounting'>> = async (
  app,
  { administration, accounting },
) => {
  const ownKeys = new OwnKeys(administration);

  app.get(
    '/v1/keys',
    {
      config,
      schema: {
        operationId: 'listKeys',
        summary: 'List the API keys of the account',
        tags,
        response: { 200: z.object({ items: z.array(KeySchema) }), ...errorResponses(...KEY_ERRORS) },
      },
    },
    async ({ caller }) => ({ items: (await ownKeys.list(caller)).map(toKeyBody) }),
  );

  app.post(
    '/v1/keys',
    {
      config,
      schema: {
        operationId: 'createKey',
        summary: 'Create an API key of the account',
        description:
          'The new key has at most the scopes of the calling key, which must have no limit and no expiry. The key is shown only in this response; a repeated `Idempotency-Key` creates no second key and shows none.',
        tags,
        body: NewOwnKeySchema,
        response: {
          201: CreatedKeySchema,
          ...errorResponses(...JSON_BODY_ERRORS, ...KEY_ERRORS, 'key_limit', ...IDEMPOTENCY_ERRORS),
        },
      },
    },
    async (request, reply) => {
      await respondWithNewKey(accounting.idempotency, { request, reply }, (id) =>
        ownKeys.create(actorOf(request), request.caller, { id, ...keyInputOf(request.body) }),
      );
    },
  );

  app.post(
    '/v1/keys/:id/rotate',
    {
      config,
      schema: {
        operationId: 'rotateKey',
        summary: 'Replace an API key of the account',
        description: 'The new key has the settings of the old one, including the amount spent of its cap.',
        tags,
        params: KeyParams,
        body: RotationSchema,
        response: {
          201: CreatedKeySchema,
          ...errorResponses(
            ...JSON_BODY_ERRORS,
            ...KEY_ERRORS,
            'key_not_found',
            'key_limit',
            ...IDEMPOTENCY_ERRORS,
          ),
        },
      },
    },
    async (request, reply) => {
      const graceMs = request.body.grace_seconds * 1000;
      await respondWithNewKey(accounting.idempotency, { request, reply }, (successorId) =>
        ownKeys.rotate(actorOf(request), request.caller, request.params.id, { graceMs, successorId }),
      );
    },
  );

  app.delete(
    '/v1/keys/:id',
    {
      config,
      schema: {
        operationId: 'revokeKey',
        summary: 'Revoke an API key of the account',
        description: 'Takes effect at once: the next request fails, and live connections are closed.',
        tags,
        params: KeyParams,
        response: { 200: KeySchema, ...errorResponses(...KEY_ERRORS, 'key_not_found') },
      },
    },
    async (request) => toKeyBody(await ownKeys.revoke(actorOf(request), request.caller, request.params.id)),
  );
};
