import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { FORMATS } from '../../../audio/formats.ts';
import type { TtsRequestSchema } from '../../schemas/tts-request.ts';
import { type SpeechDeps, sellCompatSpeech } from '../compat-speech.ts';
import { resolveSpeechModel } from '../model-names.ts';
import { nativeOptionsOf, ProviderSchema } from '../native-options.ts';
import { toReferenceId } from './voices.ts';

/** How a route of this family differs from the others. */
export interface SpeechDialect {
  /** What `response_format` is when absent. */
  readonly defaultFormat: 'mp3' | 'pcm';
  /** The rate of `pcm`; OpenAI's own is 24 kHz. */
  readonly pcmRateHz: 24_000 | 44_100;
  /** Whether OpenAI's own names of voices are taken. */
  readonly hasPresets: boolean;
}

const OPENAI_PCM_RATE_HZ = 24_000;

export const SpeechFormatSchema = z.enum(['mp3', 'opus', 'flac', 'wav', 'pcm', 'pcm16']).nullish();

const SpeechBody = z
  .object({
    model: z.string().default('tts-1').describe('A model of `GET /v1/models`.'),
    input: z.string().describe('What to say.'),
    voice: z
      .union([z.string(), z.object({ id: z.string() })])
      .nullish()
      .describe('Name or id of a voice, or one of OpenAI’s own names, which one of ours stands in for.'),
    response_format: SpeechFormatSchema,
    speed: z
      .number()
      .min(0.5, 'speed must be in [0.5, 2.0] on this server')
      .max(2, 'speed must be in [0.5, 2.0] on this server')
      .nullish(),
    instructions: z
      .string()
      .max(0, '`instructions` is not supported; write cues such as [whispering] into the text')
      .nullish(),
    sample_rate: z.int().nullish().describe('In Hz; the format must be able to carry it.'),
    provider: ProviderSchema,
    stream_format: z.literal('audio', '`stream_format` can only be `audio`').nullish(),
  })
  .meta({ id: 'OpenAiSpeechRequest' });

/** `POST …/audio/speech` as OpenAI's clients call it. */
export function openAiSpeechRoutes(dialect: SpeechDialect): FastifyPluginAsyncZod<SpeechDeps> {
  return async (app, deps) => {
    // The model is in the body, which is not there yet when credit is looked at; all that speak cost alike.
    const modelOf = () => deps.config.defaultModel;
    app.post(
      '/audio/speech',
      {
        config: { scope: 'tts', sells: { service: 'tts', modelOf } },
        schema: { hide: true, body: SpeechBody },
      },
      async (request, reply) => {
        const { body } = request;
        const wish = {
          model: resolveSpeechModel(body.model, deps.config),
          body: toTtsBody(body, dialect),
          native: nativeOptionsOf(request, body.provider),
        };
        await sellCompatSpeech(deps, { request, reply }, wish);
      },
    );
  };
}

/** The native body that an OpenAI one means. */
export function toTtsBody(
  body: Pick<z.output<typeof SpeechBody>, 'input' | 'voice' | 'response_format' | 'sample_rate' | 'speed'>,
  dialect: SpeechDialect,
): z.input<typeof TtsRequestSchema> {
  const named = body.response_format ?? dialect.defaultFormat;
  const format = named === 'pcm16' ? 'pcm' : named;
  const pcmRateHz = named === 'pcm16' ? OPENAI_PCM_RATE_HZ : dialect.pcmRateHz;
  return {
    text: body.input,
    reference_id: toReferenceId(body.voice ?? undefined, dialect),
    format,
    sample_rate: body.sample_rate ?? (format === 'pcm' ? pcmRateHz : FORMATS[format].sampleRatesHz[0]),
    prosody: { speed: body.speed ?? 1 },
  };
}
