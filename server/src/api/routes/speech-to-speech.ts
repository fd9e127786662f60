import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { FORMATS } from '../../audio/formats.ts';
import { parseLanguageHint } from '../../domain/transcription/language-hint.ts';
import type { ApiDeps, TranscriptionDeps } from '../dependencies.ts';
import { meterSpeechToSpeech } from '../metering/metered-speech-to-speech.ts';
import { requireScope } from '../plugins/auth.ts';
import { speechContextOf, toSpeechRequest } from '../requests/speech-request.ts';
import { errorResponses } from '../schemas/error-body.ts';
import { SpeechToSpeechRequestSchema } from '../schemas/speech/speech-to-speech.ts';
import { SPEECH_ERRORS, SpeechHeadersSchema, TtsRequestSchema } from '../schemas/speech/tts-request.ts';
import { addRecordingForms } from '../uploads/recording-form.ts';
import { parseBody } from '../wire/validation.ts';

type Deps = TranscriptionDeps &
  Pick<ApiDeps, 'speech' | 'config' | 'accounting' | 'pronunciations' | 'voiceResolver'>;

const TRANSCRIPTION_MODEL = 'transcribe-1';
const audioFile = z.string().meta({ format: 'binary' });

/** A recording in another voice. */
export const speechToSpeechRoutes: FastifyPluginAsyncZod<Deps> = async (app, deps) => {
  addRecordingForms(app, { ...deps, field: 'audio' });
  app.addHook('onRequest', async ({ caller }) => {
    if (caller !== undefined) requireScope(caller, 'tts');
  });
  app.post(
    '/v1/speech-to-speech',
    {
      config: { scope: 'asr', metering: { service: 'asr', modelOf: () => TRANSCRIPTION_MODEL } },
      schema: {
        operationId: 'convertSpeech',
        summary: 'Speak a recording with another voice',
        description:
          'The words of the recording at their times, with its melody, in another voice. The recording is transcribed and spoken again: sounds without words, breath and the timbre of emotions are lost. Charged as transcription (seconds) and speech (bytes of the text).',
        tags: ['speech'],
        consumes: ['multipart/form-data', 'application/msgpack'],
        headers: SpeechHeadersSchema,
        body: SpeechToSpeechRequestSchema,
        response: {
          200: {
            description: 'The audio file, at least as long as the recording.',
            content: Object.fromEntries(
              Object.values(FORMATS).map(({ contentType }) => [contentType, { schema: audioFile }]),
            ),
          },
          ...errorResponses(
            ...SPEECH_ERRORS.filter((code) => code !== 'body_too_large' && code !== 'body_timeout'),
            'audio_too_short',
            'audio_too_costly',
            'request_too_large',
            'too_many_uploads',
          ),
        },
      },
    },
    async (request, reply) => {
      const { audio, keep_pitch: keepsPitch, language, ...fields } = request.body;
      const tts = parseBody(TtsRequestSchema, { ...fields, text: '' });
      const speech = await toSpeechRequest(tts, speechContextOf(request, deps), deps);
      await meterSpeechToSpeech(
        deps,
        { request, reply },
        {
          audio,
          speech,
          keepsPitch,
          transcription: {
            model: TRANSCRIPTION_MODEL,
            language: parseLanguageHint(language),
            prompt: undefined,
            vocabulary: [],
            speakers: undefined,
          },
          content: [fields, language, keepsPitch, speech.model],
        },
      );
    },
  );
};
