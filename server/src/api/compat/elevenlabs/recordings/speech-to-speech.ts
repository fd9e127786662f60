import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { ApiDeps, TranscriptionDeps } from '../../../dependencies.ts';
import { meterSpeechToSpeech } from '../../../metering/metered-speech-to-speech.ts';
import { requireScope } from '../../../plugins/auth.ts';
import { numberFromText, optional, single } from '../../../schemas/form-fields.ts';
import { addRecordingForms } from '../../../uploads/recording-form.ts';
import type { UploadedRecording } from '../../../uploads/uploaded-recording.ts';
import { toCompatRequest } from '../../metered-compat-speech.ts';
import { resolveElevenLabsSpeechModel } from '../../model-names.ts';
import { nativeOptionsOf } from '../../native-options.ts';
import { toOutputFormat } from '../formats.ts';
import { toVoiceName } from '../settings.ts';
import { FileFormatSchema, withDetectableFormat } from './raw-pcm.ts';

type Deps = TranscriptionDeps &
  Pick<ApiDeps, 'speech' | 'config' | 'accounting' | 'pronunciations' | 'voiceResolver' | 'voices'>;

const TRANSCRIPTION_MODEL = 'transcribe-1';

/** `voice_settings` and `remove_background_noise` are accepted and ignored. */
const SpeechToSpeechForm = z.object({
  audio: z.custom<UploadedRecording>((value) => value !== undefined, 'missing field `audio`'),
  model_id: single(z.string().max(100).default('eleven_english_sts_v2')),
  seed: single(optional(z.preprocess(numberFromText, z.int()))),
  file_format: FileFormatSchema,
});
const Params = z.object({ voice_id: z.string() });
const Query = z.object({ output_format: z.string().default('mp3_44100_128') });

/** ElevenLabs' `POST /v1/speech-to-speech/:voice_id`: a recording in another voice. */
export const elevenLabsSpeechToSpeechRoutes: FastifyPluginAsyncZod<Deps> = async (app, deps) => {
  addRecordingForms(app, { ...deps, field: 'audio' });
  app.addHook('onRequest', async ({ caller }) => {
    if (caller !== undefined) requireScope(caller, 'tts');
  });
  for (const path of ['/v1/speech-to-speech/:voice_id', '/v1/speech-to-speech/:voice_id/stream']) {
    app.post(
      path,
      {
        config: {
          keyHeader: 'xi-api-key',
          scope: 'asr',
          metering: { service: 'asr', modelOf: () => TRANSCRIPTION_MODEL },
        },
        schema: { hide: true, params: Params, querystring: Query, body: SpeechToSpeechForm },
      },
      async (request, reply) => {
        const { body, params, query } = request;
        const options = {
          model: resolveElevenLabsSpeechModel(body.model_id, deps.config),
          body: { text: '', reference_id: toVoiceName(params.voice_id, deps), seed: body.seed ?? null },
          output: toOutputFormat(query.output_format),
          native: nativeOptionsOf(request),
        };
        const speech = await toCompatRequest(request, options, deps);
        reply.header('x-generation-id', request.id).header('request-id', request.id);
        await withDetectableFormat(
          body.audio,
          { fileFormat: body.file_format, uploads: deps.uploads },
          (audio) =>
            meterSpeechToSpeech(
              deps,
              { request, reply },
              {
                audio,
                speech,
                keepsPitch: true,
                transcription: {
                  model: TRANSCRIPTION_MODEL,
                  language: undefined,
                  prompt: undefined,
                  vocabulary: [],
                  speakers: undefined,
                },
                content: [options],
              },
            ),
        );
      },
    );
  }
};
