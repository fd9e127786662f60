import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Voice } from '../../domain/voices/voice.ts';
import type { ApiDeps } from '../dependencies.ts';
import { errorResponses } from '../schemas/error-body.ts';
import {
  BUILT_IN_AUTHOR,
  type ModelEntity,
  ModelEntitySchema,
  ModelListSchema,
  toBuiltInModelEntity,
  toStoredModelEntity,
} from '../schemas/voices/model-entity.ts';
import {
  type ListQuery,
  ListQuerySchema,
  matchesQuery,
  toVoiceFilter,
} from '../schemas/voices/model-query.ts';
import { baseUrlOf } from './model-writes.ts';

/** Maximum number of user voices, newest first, that a list covers. */
const LISTED_VOICES_MAX = 1000;

export const modelRoutes: FastifyPluginAsyncZod<Pick<ApiDeps, 'voices' | 'library' | 'config'>> = async (
  app,
  deps,
) => {
  const config = { isOpen: deps.config.publicVoices, scope: 'voices:read' } as const;

  app.get(
    '/model',
    {
      config,
      schema: {
        operationId: 'listModels',
        summary: 'List voices',
        tags: ['voices'],
        querystring: ListQuerySchema,
        response: {
          200: ModelListSchema,
          ...errorResponses('invalid_api_key', 'insufficient_scope', 'invalid_parameter'),
        },
      },
    },
    async (request) => {
      const { query, caller } = request;
      const baseUrl = baseUrlOf(request);
      const uses = await deps.library.uses();
      const builtIn = deps.voices
        .list()
        .filter((voice: Voice) => matchesQuery(voice, query))
        .map((voice) => toBuiltInModelEntity(voice, { baseUrl, taskCount: uses.get(voice.id) ?? 0 }));
      const filter = toVoiceFilter(query, caller?.accountId);
      const stored =
        filter === undefined ? { voices: [], total: 0 } : await deps.library.list(filter, LISTED_VOICES_MAX);
      const found = sorted(
        [...builtIn, ...stored.voices.map((voice) => toStoredModelEntity(voice, baseUrl))],
        query.sort_by,
      );
      const start = (query.page_number - 1) * query.page_size;
      const end = start + query.page_size;
      return {
        total: builtIn.length + stored.total,
        items: found.slice(start, end),
        has_more: end < found.length,
        max_offset: null,
        accessible_upper_bound: null,
        window_limited: stored.total > LISTED_VOICES_MAX,
        total_is_exact: true,
      };
    },
  );

  app.get(
    '/model/:id',
    {
      config,
      schema: {
        operationId: 'getModel',
        summary: 'Get one voice',
        tags: ['voices'],
        params: z.object({ id: z.string().describe('Id or name of the voice.') }),
        response: {
          200: ModelEntitySchema,
          ...errorResponses('invalid_api_key', 'insufficient_scope', 'not_yours', 'model_not_found'),
        },
      },
    },
    async (request) => {
      const { params, caller } = request;
      const baseUrl = baseUrlOf(request);
      const builtIn = deps.voices.resolve(params.id);
      if (builtIn !== undefined) {
        const taskCount = (await deps.library.uses()).get(builtIn.id) ?? 0;
        return toBuiltInModelEntity(builtIn, { baseUrl, taskCount });
      }
      return toStoredModelEntity(await deps.library.find(params.id, caller?.accountId), baseUrl);
    },
  );
};

/** `score` sorts built-in voices in the order of the catalogue, followed by user voices, most used first. */
function sorted(models: readonly ModelEntity[], by: ListQuery['sort_by']): readonly ModelEntity[] {
  switch (by) {
    case 'created_at':
      return models.toSorted((a, b) => b.created_at.localeCompare(a.created_at));
    case 'task_count':
      return models.toSorted((a, b) => b.task_count - a.task_count);
    case 'score': {
      const isBuiltIn = (model: ModelEntity) => model.author._id === BUILT_IN_AUTHOR._id;
      const own = models.filter((model) => !isBuiltIn(model));
      return [...models.filter(isBuiltIn), ...own.toSorted((a, b) => b.task_count - a.task_count)];
    }
  }
}
