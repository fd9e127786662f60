import type { FastifyInstance } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { ApiDeps } from '../../dependencies.ts';
import type { NotFoundHandler } from '../../plugins/not-found.ts';
import { errorSender } from '../../wire/error-handler.ts';
import { knownWireModels } from '../../wire/wire-models.ts';
import { openAiErrorBody } from '../error-envelopes.ts';
import { knownModels } from '../model-names.ts';
import { openAiChatRoutes } from './chat.ts';
import { openAiRealtimeRoutes } from './realtime.ts';
import { openAiSpeechRoutes, type SpeechDialect } from './speech.ts';
import { openAiTranscriptionRoutes } from './transcription.ts';
import { toVoiceItem } from './voices.ts';

/** What OpenAI itself answers, which is what programs for self-hosted servers expect. */
const PLAIN: SpeechDialect = { defaultFormat: 'mp3', pcmRateHz: 24_000, hasPresets: true };
/** What the Fish Audio cloud answers under `/compat`. */
const CLOUD: SpeechDialect = { defaultFormat: 'pcm', pcmRateHz: 44_100, hasPresets: false };

/** Where the clients of OpenAI, OpenRouter and Groq look for the same routes. */
const FAMILIES: readonly { readonly prefix: string; readonly dialect: SpeechDialect }[] = [
  { prefix: '/v1', dialect: PLAIN },
  { prefix: '/compat/v1', dialect: CLOUD },
  { prefix: '/compat/api/v1', dialect: CLOUD },
  { prefix: '/compat/openai/v1', dialect: CLOUD },
];

/** The routes that programs written for OpenAI's API call. */
export async function addOpenAiRoutes(
  app: FastifyInstance,
  deps: ApiDeps,
  refuseUnknown: NotFoundHandler,
): Promise<void> {
  for (const { prefix, dialect } of FAMILIES) {
    await app.register(
      async (family) => {
        family.setErrorHandler(errorSender(openAiErrorBody));
        if (prefix.startsWith('/compat')) {
          family.setNotFoundHandler(refuseUnknown);
          await family.register(openAiChatRoutes(dialect), { ...deps, ...deps.transcription });
          await family.register(openAiRealtimeRoutes, { ...deps, ...deps.transcription });
        }
        await family.register(openAiSpeechRoutes(dialect), deps);
        await family.register(openAiTranscriptionRoutes, { ...deps, ...deps.transcription });
        await family.register(openAiListRoutes, deps);
      },
      { prefix },
    );
  }
}

/** Lists of models and voices, as Open WebUI and others ask for them. */
const openAiListRoutes: FastifyPluginAsyncZod<Pick<ApiDeps, 'config' | 'voices'>> = async (app, deps) => {
  const models = () => knownModels(knownWireModels(deps.config));
  app.get('/models', { config: { isOpen: true }, schema: { hide: true } }, async () => ({
    object: 'list',
    data: models().map((id) => ({ id, object: 'model', created: 0, owned_by: 'mynah' })),
  }));
  app.get('/audio/models', { config: { isOpen: true }, schema: { hide: true } }, async () => ({
    models: models().map((id) => ({ id, name: id })),
  }));
  app.get('/audio/voices', { config: { scope: 'voices:read' }, schema: { hide: true } }, async () => ({
    voices: deps.voices.list().map(toVoiceItem),
  }));
};
