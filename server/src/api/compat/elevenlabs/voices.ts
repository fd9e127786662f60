import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { ApiDeps } from '../../dependencies.ts';
import { baseUrlOf } from '../../routes/model-writes.ts';
import {
  type ModelEntity,
  toBuiltInModelEntity,
  toStoredModelEntity,
} from '../../schemas/voices/model-entity.ts';

/** Maximum number of the account's own voices in a list; the newest come first. */
const OWN_MAX = 1000;
const PAGE_MAX = 100;

const PageQuery = z.object({
  page_size: z.coerce.number().int().min(1).max(PAGE_MAX).default(10),
  next_page_token: z
    .string()
    .regex(/^\d{1,9}$/, 'next_page_token is invalid')
    .nullish(),
  search: z.string().nullish(),
  category: z.string().nullish(),
  sort: z.enum(['created_at_unix', 'name']).nullish(),
  sort_direction: z.enum(['asc', 'desc']).nullish(),
  voice_ids: z
    .union([z.string().max(1000), z.array(z.string().max(1000)).max(1000)])
    .transform((ids) => [ids].flat())
    .nullish(),
});

/** The account's own voices and the built-in voices, in ElevenLabs' format. */
export const elevenLabsVoiceRoutes: FastifyPluginAsyncZod<Pick<ApiDeps, 'voices' | 'library'>> = async (
  app,
  { voices, library },
) => {
  const config = { keyHeader: 'xi-api-key', scope: 'voices:read' } as const;
  const list = async (accountId: string, baseUrl: string): Promise<ElevenLabsVoice[]> => {
    const own = await library.list({ ownedBy: accountId, tags: [], languages: [] }, OWN_MAX);
    return [
      ...own.voices.map((voice) => toElevenLabsVoice(toStoredModelEntity(voice, baseUrl), 'cloned')),
      ...voices
        .list()
        .map((voice) => toElevenLabsVoice(toBuiltInModelEntity(voice, { baseUrl, taskCount: 0 }), 'premade')),
    ];
  };

  app.get('/v1/voices', { config, schema: { hide: true } }, async (request) => ({
    voices: await list(request.caller.accountId, baseUrlOf(request)),
  }));

  app.get('/v2/voices', { config, schema: { hide: true, querystring: PageQuery } }, async (request) => {
    const { query } = request;
    const found = filterAndSort(await list(request.caller.accountId, baseUrlOf(request)), query);
    const start = Number(query.next_page_token ?? 0);
    const end = start + query.page_size;
    const hasMore = end < found.length;
    return {
      voices: found.slice(start, end),
      has_more: hasMore,
      total_count: found.length,
      next_page_token: hasMore ? String(end) : null,
    };
  });

  app.get('/v1/voices/settings/default', { config, schema: { hide: true } }, async () => DEFAULT_SETTINGS);
  app.get(
    '/v1/voices/:voice_id/settings',
    { config, schema: { hide: true, params: z.object({ voice_id: z.string() }) } },
    async ({ params, caller }) => {
      // Settings belong to a request, not to a voice; an unknown voice is an error.
      if (voices.resolve(params.voice_id) === undefined)
        await library.find(params.voice_id, caller.accountId);
      return DEFAULT_SETTINGS;
    },
  );

  app.get(
    '/v1/voices/:voice_id',
    { config, schema: { hide: true, params: z.object({ voice_id: z.string() }) } },
    async (request) => {
      const { voice_id: id } = request.params;
      const baseUrl = baseUrlOf(request);
      const builtIn = voices.resolve(id);
      if (builtIn !== undefined) {
        return toElevenLabsVoice(toBuiltInModelEntity(builtIn, { baseUrl, taskCount: 0 }), 'premade');
      }
      const voice = await library.find(id, request.caller.accountId);
      return toElevenLabsVoice(toStoredModelEntity(voice, baseUrl), 'cloned');
    },
  );
};

/** The defaults of voice settings. `similarity_boost`, `style` and `use_speaker_boost` have no effect. */
const DEFAULT_SETTINGS = {
  stability: 0.3,
  similarity_boost: 0.75,
  style: 0,
  use_speaker_boost: true,
  speed: 1,
} as const;

type ElevenLabsVoice = ReturnType<typeof toElevenLabsVoice>;

/** A voice in ElevenLabs' format. */
export function toElevenLabsVoice(model: ModelEntity, category: 'premade' | 'cloned' | 'generated') {
  return {
    voice_id: model._id,
    name: model.title,
    category,
    description: model.description,
    labels: {
      language: model.languages[0] ?? '',
      gender: model.gender,
      ...Object.fromEntries(model.tags.map((tag) => [tag, 'true'])),
    },
    preview_url: model.samples[0]?.audio ?? '',
    samples: null,
    settings: null,
    available_for_tiers: [],
    high_quality_base_model_ids: [],
    is_owner: category !== 'premade',
    created_at_unix: Math.floor(Date.parse(model.created_at) / 1000),
  };
}

function filterAndSort(
  voices: readonly ElevenLabsVoice[],
  query: z.output<typeof PageQuery>,
): ElevenLabsVoice[] {
  const search = query.search?.trim().toLowerCase() ?? '';
  const found = voices.filter(
    (voice) =>
      (!query.category || voice.category === query.category) &&
      (!query.voice_ids || query.voice_ids.includes(voice.voice_id)) &&
      [voice.name, voice.description, ...Object.values(voice.labels), ...Object.keys(voice.labels)].some(
        (text) => text.toLowerCase().includes(search),
      ),
  );
  const { sort } = query;
  if (!sort) return found;
  const sorted = found.toSorted((a, b) =>
    sort === 'name' ? a.name.localeCompare(b.name) : a.created_at_unix - b.created_at_unix,
  );
  return query.sort_direction === 'desc' ? sorted.toReversed() : sorted;
}
