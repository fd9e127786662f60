import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { ApiDeps } from '../../dependencies.ts';
import type { TtsRequestSchema } from '../../schemas/speech/tts-request.ts';
import { meterCompatSpeech, type ResponseFormat, type SpeechDeps } from '../metered-compat-speech.ts';
import { resolveElevenLabsSpeechModel } from '../model-names.ts';
import { nativeOptionsOf } from '../native-options.ts';
import { toOutputFormat } from './formats.ts';
import {
  DictionaryLocatorsSchema,
  toDictionaryFields,
  toLanguage,
  toVoiceFields,
  toVoiceName,
  VoiceSettingsSchema,
} from './settings.ts';
import { JSON_WITH_TIMESTAMPS, NDJSON_WITH_TIMESTAMPS } from './timed-speech.ts';

/** Unknown fields are ignored, also the context fields `previous_text`, `next_text`, … */
const SpeechBody = z.object({
  text: z.string(),
  model_id: z.string().default('eleven_multilingual_v2'),
  language_code: z.string().nullish(),
  voice_settings: VoiceSettingsSchema.nullish(),
  seed: z.int().nullish(),
  apply_text_normalization: z.enum(['auto', 'on', 'off']).nullish(),
  pronunciation_dictionary_locators: DictionaryLocatorsSchema,
});

const SpeechQuery = z.object({ output_format: z.string().default('mp3_44100_128') });
const SpeechParams = z.object({ voice_id: z.string() });

const ROUTES: readonly { readonly path: string; readonly format?: ResponseFormat }[] = [
  { path: '/v1/text-to-speech/:voice_id' },
  { path: '/v1/text-to-speech/:voice_id/stream' },
  { path: '/v1/text-to-speech/:voice_id/with-timestamps', format: JSON_WITH_TIMESTAMPS },
  { path: '/v1/text-to-speech/:voice_id/stream/with-timestamps', format: NDJSON_WITH_TIMESTAMPS },
];

/** ElevenLabs' `POST /v1/text-to-speech/:voice_id` and its variants. */
export const elevenLabsSpeechRoutes: FastifyPluginAsyncZod<SpeechDeps & Pick<ApiDeps, 'voices'>> = async (
  app,
  deps,
) => {
  // Credit is checked before the body with the model is read; all TTS models have the same price.
  const modelOf = () => deps.config.defaultModel;
  for (const { path, format } of ROUTES) {
    app.post(
      path,
      {
        config: { keyHeader: 'xi-api-key', scope: 'tts', metering: { service: 'tts', modelOf } },
        schema: { hide: true, params: SpeechParams, querystring: SpeechQuery, body: SpeechBody },
      },
      async (request, reply) => {
        const { body, params, query } = request;
        const voiceName = toVoiceName(params.voice_id, deps);
        const options = {
          model: resolveElevenLabsSpeechModel(body.model_id, deps.config),
          body: {
            ...toTtsBody(body),
            reference_id: voiceName,
            language: toLanguage(body.language_code, voiceName, deps),
          },
          output: toOutputFormat(query.output_format),
          native: nativeOptionsOf(request),
        };
        await meterCompatSpeech(deps, { request, reply }, options, format);
      },
    );
  }
};

function toTtsBody(body: z.output<typeof SpeechBody>): z.input<typeof TtsRequestSchema> {
  return {
    text: body.text,
    ...toVoiceFields(body.voice_settings),
    seed: body.seed ?? null,
    normalize: body.apply_text_normalization !== 'off',
    ...toDictionaryFields(body.pronunciation_dictionary_locators),
  };
}
