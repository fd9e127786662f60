import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { ApiDeps } from '../dependencies.ts';
import { createIdempotently, IDEMPOTENCY_ERRORS } from '../metering/idempotent-request.ts';
import { PageQuery, toStorePage, toWirePage } from '../schemas/cursor-page.ts';
import { errorResponses, JSON_BODY_ERRORS, KEY_ERRORS } from '../schemas/error-body.ts';
import {
  PublishVersionSchema,
  toWireVersion,
  toWireVersionSummary,
  VersionListSchema,
  VersionSchema,
} from '../schemas/speech/dictionary.ts';
import { toDictionaryItem } from '../schemas/speech/pronunciation.ts';
import { ARCHIVED, DictionaryParams } from './dictionaries.ts';

const tags = ['pronunciation'];
const config = { scope: 'tts' } as const;
const VersionParams = z.object({ dictionary_id: z.string(), version_id: z.string() });

/** The versions of pronunciation dictionaries. */
export const dictionaryVersionRoutes: FastifyPluginAsyncZod<
  Pick<ApiDeps, 'dictionaries' | 'accounting'>
> = async (app, { dictionaries, accounting }) => {
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
            ...JSON_BODY_ERRORS,
            ...KEY_ERRORS,
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
          ...errorResponses(...KEY_ERRORS, 'invalid_parameter', 'dictionary_not_found'),
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
          ...errorResponses(...KEY_ERRORS, 'dictionary_not_found'),
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
          ...ARCHIVED,
          ...errorResponses(...KEY_ERRORS, 'dictionary_not_found', 'dictionary_conflict'),
        },
      },
    },
    async ({ params, caller }, reply) => {
      await dictionaries.archiveVersion(caller.accountId, params.dictionary_id, params.version_id);
      return reply.code(204).send(null);
    },
  );
};
