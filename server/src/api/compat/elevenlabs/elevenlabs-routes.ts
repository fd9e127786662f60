import type { FastifyInstance } from 'fastify';
import type { ApiDeps } from '../../dependencies.ts';
import type { NotFoundHandler } from '../../plugins/not-found.ts';
import type { LiveSockets } from '../../websocket/live-sockets.ts';
import { errorSender } from '../../wire/error-handler.ts';
import { elevenLabsErrorBody } from '../error-envelopes.ts';
import { elevenLabsAccountRoutes } from './account.ts';
import { elevenLabsLiveRoutes } from './live-speech.ts';
import { elevenLabsListeningRoutes } from './live-transcription.ts';
import { elevenLabsSpeechRoutes } from './speech.ts';
import { elevenLabsTranscriptionRoutes } from './transcription.ts';
import { elevenLabsVoiceRoutes } from './voices.ts';

/** The routes that programs written for ElevenLabs' API call. */
export async function addElevenLabsRoutes(
  app: FastifyInstance,
  deps: ApiDeps,
  { refuseUnknown, sockets }: { readonly refuseUnknown: NotFoundHandler; readonly sockets: LiveSockets },
): Promise<void> {
  await app.register(
    async (family) => {
      family.setErrorHandler(errorSender(elevenLabsErrorBody));
      family.setNotFoundHandler(refuseUnknown);
      await family.register(elevenLabsSpeechRoutes, deps);
      await family.register(elevenLabsLiveRoutes, { ...deps, sockets });
      await family.register(elevenLabsTranscriptionRoutes, { ...deps, ...deps.transcription });
      await family.register(elevenLabsListeningRoutes, { ...deps, ...deps.transcription });
      await family.register(elevenLabsVoiceRoutes, deps);
      await family.register(elevenLabsAccountRoutes, deps);
    },
    { prefix: '/compat/elevenlabs' },
  );
}
