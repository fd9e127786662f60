import type { FastifyInstance } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { ApiError } from '../../../errors.ts';
import type { ApiDeps } from '../../dependencies.ts';
import type { NotFoundHandler } from '../../plugins/not-found.ts';
import { errorSender } from '../../wire/error-handler.ts';
import { knownWireModels } from '../../wire/wire-models.ts';
import { openAiErrorBody } from '../error-envelopes.ts';
import { knownModels } from '../model-names.ts';
import { openAiChatRoutes } from './chat.ts';
import { openAiRealtimeRoutes } from './realtime.ts';
import { openAiSpeechRoutes, type SpeechRouteDefaults } from './speech.ts';
import { openAiTranscriptionRoutes } from './transcription.ts';
import { openAiTranslationRoutes } from './translation.ts';
import { toVoiceItem } from './voices.ts';

/** OpenAI's own defaults, which clients of self-hosted servers expect. */
const OPENAI: SpeechRouteDefaults = { defaultFormat: 'mp3', pcmRateHz: 24_000, hasPresets: true };
/** The defaults of the Fish Audio cloud under `/compat`. */
const FISH_AUDIO: SpeechRouteDefaults = { defaultFormat: 'pcm', pcmRateHz: 44_100, hasPresets: false };

/** The prefixes under which clients of OpenAI, OpenRouter and Groq expect the routes. */
const PREFIXES: readonly { readonly prefix: string; readonly defaults: SpeechRouteDefaults }[] = [
  { prefix: '/v1', defaults: OPENAI },
  { prefix: '/compat/v1', defaults: FISH_AUDIO },
  { prefix: '/compat/api/v1', defaults: FISH_AUDIO },
  { prefix: '/compat/openai/v1', defaults: FISH_AUDIO },
];

/** Adds the routes of OpenAI's API. */
export async function addOpenAiRoutes(
  app: FastifyInstance,
  deps: ApiDeps,
  handleNotFound: NotFoundHandler,
): Promise<void> {
  for (const { prefix, defaults } of PREFIXES) {
    await app.register(
      async (scope) => {
        scope.setErrorHandler(errorSender(openAiErrorBody));
        // Unknown paths under `/v1` are those of the native API too.
        if (prefix.startsWith('/compat')) scope.setNotFoundHandler(handleNotFound);
        await scope.register(openAiChatRoutes(defaults), { ...deps, ...deps.transcription });
        await scope.register(openAiRealtimeRoutes, { ...deps, ...deps.transcription });
        await scope.register(openAiSpeechRoutes(defaults), deps);
        await scope.register(openAiTranscriptionRoutes, { ...deps, ...deps.transcription });
        await scope.register(openAiTranslationRoutes, { ...deps, ...deps.transcription });
        await scope.register(openAiListRoutes, deps);
      },
      { prefix },
    );
  }
}

const ModelParameters = z.object({ model: z.string() });

function toModelItem(id: string) {
  return { id, object: 'model', created: 0, owned_by: 'mynah' };
}

/** Lists of models and voices, as Open WebUI and other clients request them. */
const openAiListRoutes: FastifyPluginAsyncZod<Pick<ApiDeps, 'config' | 'voices'>> = async (app, deps) => {
  const models = () => knownModels(knownWireModels(deps.config));
  app.get('/models', { config: { isOpen: true }, schema: { hide: true } }, async () => ({
    object: 'list',
    data: models().map(toModelItem),
  }));
  app.get(
    '/models/:model',
    { config: { isOpen: true }, schema: { hide: true, params: ModelParameters } },
    async ({ params: { model } }) => {
      if (models().includes(model)) return toModelItem(model);
      throw new ApiError('not_found', `There is no model \`${model.slice(0, 100)}\`.`);
    },
  );
  app.get('/audio/models', { config: { isOpen: true }, schema: { hide: true } }, async () => ({
    models: models().map((id) => ({ id, name: id })),
  }));
  // Open WebUI and Wyoming bridges send no key.
  const access = deps.config.publicVoices ? { isOpen: true } : { scope: 'voices:read' as const };
  app.get('/audio/voices', { config: access, schema: { hide: true } }, async () => ({
    voices: deps.voices.list().map(toVoiceItem),
  }));
};
