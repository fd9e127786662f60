import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { defaultSampleRateHz, FORMATS, formatInfoOf, supportsSampleRate } from '../../../audio/formats.ts';
import {
  type Instructions,
  interpretInstructions,
  toDirections,
} from '../../../domain/speech/acting/instructions.ts';
import { ApiError } from '../../../errors.ts';
import { type CompatSpeechOptions, meterCompatSpeech, type SpeechDeps } from '../metered-compat-speech.ts';
import { resolveOpenAiSpeechModel } from '../model-names.ts';
import { nativeOptionsOf, ProviderSchema } from '../native-options.ts';
import { SPEECH_EVENTS } from './speech-events.ts';
import { toReferenceId } from './voices.ts';

/** Defaults that differ between the route prefixes. */
export interface SpeechRouteDefaults {
  /** The default `response_format`. */
  readonly defaultFormat: 'mp3' | 'pcm';
  /** Sample rate of `pcm`; OpenAI's is 24 kHz. */
  readonly pcmRateHz: 24_000 | 44_100;
  /** Whether OpenAI's voice names are accepted. */
  readonly hasPresets: boolean;
}

const OPENAI_PCM_RATE_HZ = 24_000;
const INSTRUCTIONS_MAX_CHARS = 4096;
/** The speaking rates of the engines. */
const SPEED_MIN = 0.5;
const SPEED_MAX = 2;

export const SpeechFormatSchema = z.enum(['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm', 'pcm16']).nullish();

const SpeechBody = z
  .object({
    model: z.string().default('tts-1').describe('A model of `GET /v1/models`.'),
    input: z.string().describe('The text to synthesize.'),
    voice: z
      .union([z.string(), z.object({ id: z.string() })])
      .nullish()
      .describe('Name or id of a voice, or a voice name of OpenAI, which maps to a built-in voice.'),
    response_format: SpeechFormatSchema.describe('`aac` needs ffmpeg on the server.'),
    speed: z
      .number()
      .min(0.25, 'speed must be in [0.25, 4.0]')
      .max(4, 'speed must be in [0.25, 4.0]')
      .nullish()
      .describe('Clamped to 0.5 to 2; the response then has the header `x-mynah-warning`.'),
    instructions: z
      .string()
      .max(INSTRUCTIONS_MAX_CHARS)
      .nullish()
      .describe(
        'How to speak, in English. The cues in it are followed for the whole text and named in the header `x-mynah-instructions`; the rest is ignored, as the header `x-mynah-ignored` says.',
      ),
    sample_rate: z.int().nullish().describe('In Hz; must be supported by the format.'),
    provider: ProviderSchema,
    stream_format: z.enum(['audio', 'sse']).nullish(),
  })
  .meta({ id: 'OpenAiSpeechRequest' });

/** OpenAI's `POST …/audio/speech`. */
export function openAiSpeechRoutes(defaults: SpeechRouteDefaults): FastifyPluginAsyncZod<SpeechDeps> {
  return async (app, deps) => {
    // Credit is checked before the body with the model is read; all TTS models have the same price.
    const modelOf = () => deps.config.defaultModel;
    app.post(
      '/audio/speech',
      {
        config: { scope: 'tts', metering: { service: 'tts', modelOf } },
        schema: { hide: true, body: SpeechBody },
      },
      async (request, reply) => {
        const { body } = request;
        const instructions = interpretInstructions(body.instructions ?? '');
        const options = {
          model: resolveOpenAiSpeechModel(body.model, deps.config),
          ...toNativeRequest(body, nativeOptionsOf(request, body.provider), defaults),
          directions: toDirections(instructions),
          warnings:
            body.speed && body.speed !== clampSpeed(body.speed)
              ? [`speed was clamped to ${SPEED_MIN}..${SPEED_MAX}`]
              : [],
        };
        if (body.instructions) reply.headers(instructionHeaders(instructions));
        const format = body.stream_format === 'sse' ? SPEECH_EVENTS : undefined;
        await meterCompatSpeech(deps, { request, reply }, options, format);
      },
    );
  };
}

/** Reports which instructions are followed, and how many sentences and lines are not. */
function instructionHeaders({
  cueNames,
  partCount,
  ignoredCount,
}: Instructions): Readonly<Record<string, string>> {
  if (cueNames.length === 0) return { 'x-mynah-ignored': 'instructions' };
  return {
    'x-mynah-instructions': cueNames.join(', '),
    ...(ignoredCount > 0 && { 'x-mynah-ignored': `instructions (${ignoredCount} of ${partCount} parts)` }),
  };
}

function clampSpeed(speed: number): number {
  return Math.min(Math.max(speed, SPEED_MIN), SPEED_MAX);
}

/** Converts an OpenAI body to native fields. AAC is not among the native formats. */
export function toNativeRequest(
  body: Pick<z.output<typeof SpeechBody>, 'input' | 'voice' | 'response_format' | 'sample_rate' | 'speed'>,
  native: Readonly<Record<string, unknown>>,
  defaults: SpeechRouteDefaults,
): Pick<CompatSpeechOptions, 'body' | 'output' | 'native'> {
  const named = body.response_format ?? defaults.defaultFormat;
  const speech = {
    text: body.input,
    reference_id: toReferenceId(body.voice ?? undefined, defaults),
    prosody: { speed: clampSpeed(body.speed ?? 1) },
  };
  if (named === 'aac') {
    const { sample_rate, ...others } = native;
    const isNativeFormat = native.format !== undefined;
    const sampleRateHz = isNativeFormat
      ? defaultSampleRateHz('aac')
      : toAacRate(sample_rate ?? body.sample_rate);
    return {
      body: speech,
      output: { format: named, sampleRateHz },
      native: isNativeFormat ? native : others,
    };
  }
  const format = named === 'pcm16' ? 'pcm' : named;
  const pcmRateHz = named === 'pcm16' ? OPENAI_PCM_RATE_HZ : defaults.pcmRateHz;
  const rateHz = format === 'pcm' ? pcmRateHz : FORMATS[format].sampleRatesHz[0];
  return { body: { ...speech, format, sample_rate: body.sample_rate ?? rateHz }, native };
}

function toAacRate(requested: unknown): number {
  const rateHz = requested ?? defaultSampleRateHz('aac');
  if (typeof rateHz === 'number' && supportsSampleRate('aac', rateHz)) return rateHz;
  throw new ApiError(
    'sample_rate_not_supported',
    `Invalid sample rate for format aac. Supported sample rates: ${formatInfoOf('aac').sampleRatesHz.join(', ')}`,
  );
}
