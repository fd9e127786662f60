import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { ApiDeps } from '../dependencies.ts';
import { createIdempotently, IDEMPOTENCY_ERRORS } from '../metering/idempotent-request.ts';
import { PageQuery, toStorePage, toWirePage } from '../schemas/cursor-page.ts';
import { errorResponses, JSON_BODY_ERRORS, KEY_ERRORS } from '../schemas/error-body.ts';
import {
  CreateDictionarySchema,
  DictionaryListSchema,
  DictionarySchema,
  toWireDictionary,
  UpdateDictionarySchema,
} from '../schemas/speech/dictionary.ts';

const tags = ['pronunciation'];
const config = { scope: 'tts' } as const;
export const DictionaryParams = z.object({ dictionary_id: z.string() });
export const ARCHIVED = { 204: z.null().describe('Archived.') };

/** Pronunciation dictionaries of the caller's account. */
export const dictionaryRoutes: FastifyPluginAsyncZod<Pick<ApiDeps, 'dictionaries' | 'accounting'>> = async (
  app,
  { dictionaries, accounting },
) => {
  app.post(
    '/v1/pronunciation-dictionaries',
    {
      config,
      schema: {
        operationId: 'createPronunciationDictionary',
        summary: 'Create a dictionary',
        description: 'It is empty until a version is published.',
        tags,
        body: CreateDictionarySchema,
        response: {
          201: DictionarySchema,
          ...errorResponses(
            ...JSON_BODY_ERRORS,
            ...KEY_ERRORS,
            'invalid_parameter',
            'dictionary_limit',
            ...IDEMPOTENCY_ERRORS,
          ),
        },
      },
    },
    async (request, reply) => {
      const { name, description } = request.body;
      await createIdempotently(
        accounting.idempotency,
        { request, reply },
        { status: 201 },
        async (attempt) => {
          const given = { id: attempt?.resourceId, name, description: description ?? '' };
          return toWireDictionary(await dictionaries.create(request.caller.accountId, given));
        },
      );
    },
  );

  app.get(
    '/v1/pronunciation-dictionaries',
    {
      config,
      schema: {
        operationId: 'listPronunciationDictionaries',
        summary: 'List dictionaries, newest first',
        tags,
        querystring: PageQuery,
        response: {
          200: DictionaryListSchema,
          ...errorResponses(...KEY_ERRORS, 'invalid_parameter'),
        },
      },
    },
    async ({ query, caller }) => {
      const found = await dictionaries.list(caller.accountId, toStorePage(query));
      return { total: found.total, ...toWirePage(found.dictionaries, query.page_size, toWireDictionary) };
    },
  );

  app.get(
    '/v1/pronunciation-dictionaries/:dictionary_id',
    {
      config,
      schema: {
        operationId: 'getPronunciationDictionary',
        summary: 'Get a dictionary',
        tags,
        params: DictionaryParams,
        response: {
          200: DictionarySchema,
          ...errorResponses(...KEY_ERRORS, 'dictionary_not_found'),
        },
      },
    },
    async ({ params, caller }) =>
      toWireDictionary(await dictionaries.get(caller.accountId, params.dictionary_id)),
  );

  app.patch(
    '/v1/pronunciation-dictionaries/:dictionary_id',
    {
      config,
      schema: {
        operationId: 'updatePronunciationDictionary',
        summary: 'Rename or describe a dictionary',
        tags,
        params: DictionaryParams,
        body: UpdateDictionarySchema,
        response: {
          200: DictionarySchema,
          ...errorResponses(...JSON_BODY_ERRORS, ...KEY_ERRORS, 'invalid_parameter', 'dictionary_not_found'),
        },
      },
    },
    async ({ params, body: { name, description }, caller }) => {
      const change = { ...(name && { name }), ...(typeof description === 'string' && { description }) };
      return toWireDictionary(await dictionaries.rename(caller.accountId, params.dictionary_id, change));
    },
  );

  app.delete(
    '/v1/pronunciation-dictionaries/:dictionary_id',
    {
      config,
      schema: {
        operationId: 'deletePronunciationDictionary',
        summary: 'Archive a dictionary',
        description: 'It is no longer found, also by speech requests. Archiving it again has no effect.',
        tags,
        params: DictionaryParams,
        response: {
          ...ARCHIVED,
          ...errorResponses(...KEY_ERRORS, 'dictionary_not_found'),
        },
      },
    },
    async ({ params, caller }, reply) => {
      await dictionaries.archive(caller.accountId, params.dictionary_id);
      return reply.code(204).send(null);
    },
  );
};
