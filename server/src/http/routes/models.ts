import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { ApiError } from '../../errors.ts';
import { baseLanguage } from '../../voices/language-tags.ts';
import type { Voice } from '../../voices/voice.ts';
import type { HttpDeps } from '../http-deps.ts';
import { errorResponses } from '../schemas/error-body.ts';
import {
  BUILT_IN_AUTHOR,
  ModelEntitySchema,
  ModelListSchema,
  toModelEntity,
} from '../schemas/model-entity.ts';

const page = (name: string, min: number, max: number, fallback: number) => {
  const message = `${name} must be in [${min}, ${max}]`;
  return z.coerce.number(message).int(message).min(min, message).max(max, message).default(fallback);
};
const several = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => [value].flat())
  .optional();
const truth = (name: string) =>
  z
    .stringbool({ truthy: ['true', '1'], falsy: ['false', '0', ''], error: `${name} must be true or false` })
    .optional();

const ListQuery = z.object({
  page_size: page('page_size', 1, 100, 10),
  page_number: page('page_number', 1, 1_000_000, 1),
  title: z.string().optional().describe('Part of the title or the name.'),
  tag: several.describe('Voices with all of these tags. May be repeated.'),
  'tag[]': several.describe('The same, as some clients spell it.'),
  self: truth('self').describe('Only the caller’s own voices.'),
  author_id: z.string().optional().describe('Only voices of this author. Ignored with `self`.'),
  language: several.describe('Voices with one of these languages (`en`, `en-GB`). May be repeated.'),
  'language[]': several,
  title_language: several.describe('Languages of the title. May be repeated.'),
  licensed: truth('licensed').describe('Accepted for compatibility.'),
  sort_by: z.enum(['score', 'task_count', 'created_at']).default('score'),
});
type Filter = z.output<typeof ListQuery>;

/** Titles of built-in voices are given names; they read as English. */
const TITLE_LANGUAGE = 'en';

export const modelRoutes: FastifyPluginAsyncZod<Pick<HttpDeps, 'voices' | 'config'>> = async (app, deps) => {
  const config = { isOpen: deps.config.publicVoices, scope: 'voices:read' } as const;

  app.get(
    '/model',
    {
      config,
      schema: {
        operationId: 'listModels',
        summary: 'List voices',
        tags: ['voices'],
        querystring: ListQuery,
        response: {
          200: ModelListSchema,
          ...errorResponses('invalid_api_key', 'insufficient_scope', 'invalid_parameter'),
        },
      },
    },
    async ({ query }) => {
      const found = sort(
        deps.voices.list().filter((voice) => matches(voice, query)),
        query.sort_by,
      );
      const start = (query.page_number - 1) * query.page_size;
      const end = start + query.page_size;
      return {
        total: found.length,
        items: found.slice(start, end).map(toModelEntity),
        has_more: end < found.length,
        max_offset: null,
        accessible_upper_bound: null,
        window_limited: false,
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
          ...errorResponses('invalid_api_key', 'insufficient_scope', 'model_not_found'),
        },
      },
    },
    async ({ params }) => {
      const voice = deps.voices.resolve(params.id);
      if (voice === undefined) throw new ApiError('model_not_found', 'Model not found');
      return toModelEntity(voice);
    },
  );
};

function matches(voice: Voice, filter: Filter): boolean {
  // Built-in voices belong to nobody's workspace.
  if (filter.self) return false;
  if (filter.author_id !== undefined && filter.author_id !== BUILT_IN_AUTHOR._id) return false;
  const wantedTags = [...(filter.tag ?? []), ...(filter['tag[]'] ?? [])].map((tag) => tag.toLowerCase());
  const wantedLanguages = [...(filter.language ?? []), ...(filter['language[]'] ?? [])].map((tag) =>
    tag.toLowerCase(),
  );
  const title = filter.title?.trim().toLowerCase() ?? '';
  return (
    wantedTags.every((tag) => voice.tags.includes(tag) || voice.name === tag) &&
    (wantedLanguages.length === 0 || languageTags(voice).some((tag) => wantedLanguages.includes(tag))) &&
    (filter.title_language === undefined || filter.title_language.includes(TITLE_LANGUAGE)) &&
    (title === '' || voice.title.toLowerCase().includes(title) || voice.name.toLowerCase().includes(title))
  );
}

function languageTags(voice: Voice): string[] {
  return [baseLanguage(voice.locale), voice.locale.toLowerCase()];
}

// The catalogue is in order of merit already, and built-in voices keep no count of their use.
function sort(voices: readonly Voice[], by: Filter['sort_by']): readonly Voice[] {
  return by === 'created_at' ? voices.toSorted((a, b) => b.createdAtMs - a.createdAtMs) : voices;
}
