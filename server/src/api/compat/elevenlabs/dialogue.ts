import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { ApiError } from '../../../errors.ts';
import type { ApiDeps } from '../../dependencies.ts';
import { meterCompatSpeech, type SpeechDeps } from '../metered-compat-speech.ts';
import { resolveElevenLabsSpeechModel } from '../model-names.ts';
import { nativeOptionsOf } from '../native-options.ts';
import { toOutputFormat } from './formats.ts';
import {
  DictionaryLocatorsSchema,
  toDictionaryFields,
  toVoiceFields,
  toVoiceName,
  VoiceSettingsSchema,
} from './settings.ts';

const INPUTS_MAX = 1000;

const DialogueBody = z.object({
  inputs: z
    .array(z.object({ text: z.string(), voice_id: z.string().min(1).max(200) }))
    .min(1)
    .max(INPUTS_MAX),
  model_id: z.string().default('eleven_v3'),
  language_code: z.string().nullish(),
  settings: VoiceSettingsSchema.nullish(),
  seed: z.int().nullish(),
  apply_text_normalization: z.enum(['auto', 'on', 'off']).nullish(),
  pronunciation_dictionary_locators: DictionaryLocatorsSchema,
});
const DialogueQuery = z.object({ output_format: z.string().default('mp3_44100_128') });

/** ElevenLabs' `POST /v1/text-to-dialogue`: several voices in one recording. */
export const elevenLabsDialogueRoutes: FastifyPluginAsyncZod<SpeechDeps & Pick<ApiDeps, 'voices'>> = async (
  app,
  deps,
) => {
  const modelOf = () => deps.config.defaultModel;
  for (const path of ['/v1/text-to-dialogue', '/v1/text-to-dialogue/stream']) {
    app.post(
      path,
      {
        config: { keyHeader: 'xi-api-key', scope: 'tts', metering: { service: 'tts', modelOf } },
        schema: { hide: true, querystring: DialogueQuery, body: DialogueBody },
      },
      async (request, reply) => {
        const { body, query } = request;
        const voiceIds = [...new Set(body.inputs.map(({ voice_id }) => voice_id))];
        const options = {
          model: resolveElevenLabsSpeechModel(body.model_id, deps.config),
          body: {
            text: body.inputs
              .map(({ text, voice_id }) => `<|speaker:${voiceIds.indexOf(voice_id)}|>${assertPlain(text)}`)
              .join(''),
            reference_id: voiceIds.map((id) => toVoiceName(id, deps) ?? deps.config.defaultVoice),
            ...(body.language_code && { language: body.language_code }),
            ...toVoiceFields(body.settings),
            ...toDictionaryFields(body.pronunciation_dictionary_locators),
            seed: body.seed ?? null,
            normalize: body.apply_text_normalization !== 'off',
          },
          output: toOutputFormat(query.output_format),
          native: nativeOptionsOf(request),
        };
        await meterCompatSpeech(deps, { request, reply }, options);
      },
    );
  }
};

/** A text with a speaker tag would change the speaker of the texts after it. */
function assertPlain(text: string): string {
  if (!text.includes('<|speaker:')) return text;
  throw new ApiError('invalid_request', 'The text of an input must not contain `<|speaker:`.');
}
