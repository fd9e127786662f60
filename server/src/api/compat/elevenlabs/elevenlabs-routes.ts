import type { FastifyInstance } from 'fastify';
import type { ApiDeps } from '../../dependencies.ts';
import type { NotFoundHandler } from '../../plugins/not-found.ts';
import type { LiveSpeechSockets } from '../../websocket/live-speech-sockets.ts';
import { errorSender } from '../../wire/error-handler.ts';
import { elevenLabsErrorBody } from '../error-envelopes.ts';
import { elevenLabsAccountRoutes } from './account.ts';
import { elevenLabsDialogueRoutes } from './dialogue.ts';
import { elevenLabsDictionaryRoutes } from './dictionaries/dictionary-routes.ts';
import { elevenLabsLiveSpeechRoutes } from './live-speech.ts';
import { elevenLabsLiveTranscriptionRoutes } from './live-transcription.ts';
import { elevenLabsForcedAlignmentRoutes } from './recordings/forced-alignment.ts';
import { elevenLabsSpeechToSpeechRoutes } from './recordings/speech-to-speech.ts';
import { elevenLabsSpeechRoutes } from './speech.ts';
import { elevenLabsTextToVoiceRoutes } from './text-to-voice.ts';
import { elevenLabsTranscriptionRoutes } from './transcription.ts';
import { elevenLabsVoiceWriteRoutes } from './voice-writes.ts';
import { elevenLabsVoiceRoutes } from './voices.ts';

/** Adds the routes of ElevenLabs' API under `/compat/elevenlabs`. */
export async function addElevenLabsRoutes(
  app: FastifyInstance,
  deps: ApiDeps,
  {
    handleNotFound,
    sockets,
  }: { readonly handleNotFound: NotFoundHandler; readonly sockets: LiveSpeechSockets },
): Promise<void> {
  await app.register(
    async (family) => {
      family.setErrorHandler(errorSender(elevenLabsErrorBody));
      family.setNotFoundHandler(handleNotFound);
      await family.register(elevenLabsSpeechRoutes, deps);
      await family.register(elevenLabsDialogueRoutes, deps);
      await family.register(elevenLabsLiveSpeechRoutes, { ...deps, sockets });
      await family.register(elevenLabsTranscriptionRoutes, { ...deps, ...deps.transcription });
      await family.register(elevenLabsLiveTranscriptionRoutes, { ...deps, ...deps.transcription });
      await family.register(elevenLabsSpeechToSpeechRoutes, { ...deps, ...deps.transcription });
      await family.register(elevenLabsForcedAlignmentRoutes, { ...deps, ...deps.transcription });
      await family.register(elevenLabsTextToVoiceRoutes, deps);
      await family.register(elevenLabsVoiceRoutes, deps);
      await family.register(elevenLabsVoiceWriteRoutes, deps);
      await family.register(elevenLabsDictionaryRoutes, deps);
      await family.register(elevenLabsAccountRoutes, deps);
    },
    { prefix: '/compat/elevenlabs' },
  );
}
