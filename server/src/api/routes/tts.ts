import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { FORMATS } from '../../audio/formats.ts';
import type { ApiDeps } from '../dependencies.ts';
import { meterSpeech } from '../metering/metered-speech.ts';
import { speechContextOf, toSpeechRequest, warningHeader } from '../requests/speech-request.ts';
import { errorResponses } from '../schemas/error-body.ts';
import { SPEECH_ERRORS, SpeechHeadersSchema, TtsRequestSchema } from '../schemas/speech/tts-request.ts';
import { resolveWireModel } from '../wire/wire-models.ts';

const audioFile = z.string().meta({ format: 'binary' });

export const ttsRoutes: FastifyPluginAsyncZod<
  Pick<ApiDeps, 'speech' | 'config' | 'accounting' | 'pronunciations' | 'voiceResolver'>
> = async (app, deps) => {
  const modelOf = (header: string | undefined) => resolveWireModel(header, deps.config);
  app.post(
    '/v1/tts',
    {
      config: { scope: 'tts', metering: { service: 'tts', modelOf } },
      schema: {
        operationId: 'createSpeech',
        summary: 'Turn text into speech',
        description:
          'The audio is streamed while it is synthesized. On a failure after the start, the connection is closed.',
        tags: ['speech'],
        consumes: ['application/json', 'application/msgpack'],
        headers: SpeechHeadersSchema,
        body: TtsRequestSchema,
        response: {
          200: {
            description:
              'The audio file. `x-mynah-model`, `x-mynah-engine` and `x-mynah-voice` name model, engine and voice; `x-mynah-cost` is the amount held, in US dollars.',
            content: Object.fromEntries(
              Object.values(FORMATS).map(({ contentType }) => [contentType, { schema: audioFile }]),
            ),
          },
          ...errorResponses(...SPEECH_ERRORS),
        },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const speechRequest = await toSpeechRequest(body, speechContextOf(request, deps), deps);
      await meterSpeech(
        deps,
        { request, reply },
        {
          speech: speechRequest,
          content: [body],
          async begin(loaded, signal) {
            const { contentType, ...speech } = await deps.speech.speak(loaded, signal);
            return {
              headers: { 'content-type': contentType, ...warningHeader(body, speech.warnings) },
              ...speech,
            };
          },
        },
      );
    },
  );
};
