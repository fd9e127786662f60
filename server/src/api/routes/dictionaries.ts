import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { ApiDeps } from '../dependencies.ts';
import { createIdempotently, IDEMPOTENCY_ERRORS } from '../metering/idempotent-request.ts';
import { PageQuery, toStorePage, toWirePage } from '../schemas/cursor-page.ts';
import { errorResponses } from '../schemas/error-body.ts';
import {
  CreateDictionarySchema,
  DictionaryListSchema,
  DictionarySchema,
  PublishVersionSchema,
  toWireDictionary,
  toWireVersion,
  toWireVersionSummary,
  UpdateDictionarySchema,
  VersionListSchema,
  VersionSchema,
} from '../schemas/speech/dictionary.ts';
import { toDictionaryItem } from '../schemas/speech/pronunciation.ts';

const tags = ['pronunciation'];
const config = { scope: 'tts' } as const;
const DictionaryParams = z.object({ dictionary_id: z.string() });
const VersionParams = z.object({ dictionary_id: z.string(), version_id: z.string() });
/** Errors of a body. `invalid_request` is also that of an invalid `Idempotency-Key`. */
const JSON_ERRORS = ['invalid_request', 'invalid_body', 'unsupported_media_type'] as const;
const archived = { 204: z.null().describe('Archived.') };

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
            ...JSON_ERRORS,
            'invalid_api_key',
            'insufficient_scope',
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
          ...errorResponses('invalid_api_key', 'insufficient_scope', 'invalid_parameter'),
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
          ...errorResponses('invalid_api_key', 'insufficient_scope', 'dictionary_not_found'),
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
          ...errorResponses(
            ...JSON_ERRORS,
            'invalid_api_key',
            'insufficient_scope',
            'invalid_parameter',
            'dictionary_not_found',
          ),
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
          ...archived,
          ...errorResponses('invalid_api_key', 'insufficient_scope', 'dictionary_not_found'),
        },
      },
    },
    async ({ params, caller }, reply) => {
      await dictionaries.archive(caller.accountId, params.dictionary_id);
      return reply.code(204).send(null);
    },
  );

  app.post(
    '/v1/pronunciation-dictionaries/:dictionary_id/versions',
    {
      config,
      schema: {
        operationId: 'publishPronunciationDictionaryVersion',
        summary: 'Publish a version',
        description:
          'A version contains the complete ordered list and is immutable. Send the `latest_version_id` that the list is based on: if another version was published since, the response is 409.',
        tags,
        params: DictionaryParams,
        body: PublishVersionSchema,
        response: {
          201: VersionSchema,
          ...errorResponses(
            ...JSON_ERRORS,
            'invalid_api_key',
            'insufficient_scope',
            'invalid_parameter',
            'invalid_phonemes',
            'dictionary_not_found',
            'dictionary_conflict',
            'dictionary_limit',
            ...IDEMPOTENCY_ERRORS,
          ),
        },
      },
    },
    async (request, reply) => {
      const { params, body, caller } = request;
      await createIdempotently(accounting.idempotency, { request, reply }, { status: 201 }, async (attempt) =>
        toWireVersion(
          await dictionaries.publish(caller.accountId, params.dictionary_id, {
            id: attempt?.resourceId,
            items: (body.rules ?? body.items ?? []).map(toDictionaryItem),
            expectedLatestId: body.expected_latest_version_id ?? undefined,
          }),
        ),
      );
    },
  );

  app.get(
    '/v1/pronunciation-dictionaries/:dictionary_id/versions',
    {
      config,
      schema: {
        operationId: 'listPronunciationDictionaryVersions',
        summary: 'List the versions of a dictionary, newest first',
        tags,
        params: DictionaryParams,
        querystring: PageQuery,
        response: {
          200: VersionListSchema,
          ...errorResponses(
            'invalid_api_key',
            'insufficient_scope',
            'invalid_parameter',
            'dictionary_not_found',
          ),
        },
      },
    },
    async ({ params, query, caller }) => {
      const found = await dictionaries.listVersions(
        caller.accountId,
        params.dictionary_id,
        toStorePage(query),
      );
      return { total: found.total, ...toWirePage(found.versions, query.page_size, toWireVersionSummary) };
    },
  );

  app.get(
    '/v1/pronunciation-dictionaries/:dictionary_id/versions/:version_id',
    {
      config,
      schema: {
        operationId: 'getPronunciationDictionaryVersion',
        summary: 'Get a version with its rules',
        tags,
        params: VersionParams,
        response: {
          200: VersionSchema,
          ...errorResponses('invalid_api_key', 'insufficient_scope', 'dictionary_not_found'),
        },
      },
    },
    async ({ params, caller }) =>
      toWireVersion(await dictionaries.getVersion(caller.accountId, params.dictionary_id, params.version_id)),
  );

  app.delete(
    '/v1/pronunciation-dictionaries/:dictionary_id/versions/:version_id',
    {
      config,
      schema: {
        operationId: 'deletePronunciationDictionaryVersion',
        summary: 'Archive a version',
        description: 'The latest version cannot be archived.',
        tags,
        params: VersionParams,
        response: {
          ...archived,
          ...errorResponses(
            'invalid_api_key',
            'insufficient_scope',
            'dictionary_not_found',
            'dictionary_conflict',
          ),
        },
      },
    },
    async ({ params, caller }, reply) => {
      await dictionaries.archiveVersion(caller.accountId, params.dictionary_id, params.version_id);
      return reply.code(204).send(null);
    },
  );
};
