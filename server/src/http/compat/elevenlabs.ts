import type { FastifyInstance } from 'fastify';
import { errorSender } from '../error-handler.ts';
import type { HttpDeps } from '../http-deps.ts';
import type { NotFoundHandler } from '../plugins/not-found.ts';
import type { LiveSockets } from '../websocket/live-sockets.ts';
import { elevenLabsAccountRoutes } from './elevenlabs-account.ts';
import { elevenLabsListeningRoutes } from './elevenlabs-listening.ts';
import { elevenLabsLiveRoutes } from './elevenlabs-live.ts';
import { elevenLabsSpeechRoutes } from './elevenlabs-speech.ts';
import { elevenLabsTranscriptionRoutes } from './elevenlabs-transcription.ts';
import { elevenLabsVoiceRoutes } from './elevenlabs-voices.ts';
import { elevenLabsErrorBody } from './error-envelopes.ts';

/** The routes that programs written for ElevenLabs' API call. */
export async function addElevenLabsRoutes(
  app: FastifyInstance,
  deps: HttpDeps,
  { refuseUnknown, sockets }: { readonly refuseUnknown: NotFoundHandler; readonly sockets: LiveSockets },
): Promise<void> {
  await app.register(
    async (family) => {
      family.setErrorHandler(errorSender(elevenLabsErrorBody));
      family.setNotFoundHandler(refuseUnknown);
      await family.register(elevenLabsSpeechRoutes, deps);
      await family.register(elevenLabsLiveRoutes, { ...deps, sockets });
      await family.register(elevenLabsTranscriptionRoutes, { ...deps, ...deps.hearing });
      await family.register(elevenLabsListeningRoutes, { ...deps, ...deps.hearing });
      await family.register(elevenLabsVoiceRoutes, deps);
      await family.register(elevenLabsAccountRoutes, deps);
    },
    { prefix: '/compat/elevenlabs' },
  );
}
