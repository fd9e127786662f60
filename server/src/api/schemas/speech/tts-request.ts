import { z } from 'zod';
import { AUDIO_FORMATS, type AudioFormat, FORMATS } from '../../../audio/formats.ts';
import { LATENCIES } from '../../../domain/speech/speech-service.ts';
import type { ErrorCode } from '../../../errors.ts';
import type { IssueParams } from '../../wire/validation.ts';
import { WIRE_MODELS } from '../../wire/wire-models.ts';
import { ReferencesSchema } from '../voices/references.ts';
import { DictionaryReferencesSchema } from './pronunciation.ts';

const MP3_BITRATES_KBPS = [64, 128, 192] as const;
const OPUS_AUTO = -1000;
const OPUS_BITRATES_KBPS = [24, 32, 48, 64, OPUS_AUTO];

const Prosody = z
  .object({
    speed: orDefault(within('speed', 0.5, 2), 1, 'Speaking rate: 1 is normal, 2 is twice as fast.'),
    volume: orDefault(z.number(), 0, 'Gain in dB, clamped to -20 … 20.'),
    normalize_loudness: orDefault(z.boolean(), true, 'Normalize the loudness.'),
  })
  .meta({ id: 'Prosody' });

/** Maximum number of voices in one request. */
const VOICES_MAX = 64;
/** Maximum length of the id or name of a voice. */
const VOICE_NAME_MAX_CHARS = 256;

/** The body of `POST /v1/tts`. Null is equivalent to an absent field; unknown fields are ignored. */
export const TtsRequestSchema = z
  .object({
    text: z.string().describe('The text to speak. An empty text gives an empty audio file.'),
    reference_id: z
      .union(
        [z.string().max(VOICE_NAME_MAX_CHARS), z.array(z.string().max(VOICE_NAME_MAX_CHARS)).max(VOICES_MAX)],
        `invalid value for \`reference_id\`: expected a string or a list of at most ${VOICES_MAX} strings`,
      )
      .nullish()
      .describe(
        'Id or name of a voice from `GET /model`. A list gives the voices of `<|speaker:0|>`, `<|speaker:1|>`, … Default: the default voice.',
      ),
    references: ReferencesSchema.nullish().describe(
      'Reference recordings to clone for this request: a list, or a list per speaker. `reference_id` takes precedence over a plain list.',
    ),
    prosody: Prosody.nullish().describe('Speaking rate and loudness.'),
    temperature: orDefault(z.number(), 0.7, 'Variability, clamped to 0 … 1.'),
    top_p: orDefault(within('top_p', 0, 1), 0.7, 'Accepted and ignored.'),
    repetition_penalty: orDefault(z.number(), 1.2, 'Accepted and ignored.'),
    max_new_tokens: orDefault(z.int(), 1024, 'Accepted and ignored.'),
    chunk_length: orDefault(
      integerWithin('chunk_length', 100, 300),
      300,
      'Length of a text segment, in characters.',
    ),
    min_chunk_length: orDefault(
      integerWithin('min_chunk_length', 0, 100),
      50,
      'Minimum length of a text segment, in characters.',
    ),
    condition_on_previous_chunks: orDefault(
      z.boolean(),
      true,
      'Keep the delivery consistent across segments.',
    ),
    early_stop_threshold: orDefault(within('early_stop_threshold', 0, 1), 1, 'Accepted and ignored.'),
    normalize: orDefault(z.boolean(), true, 'Verbalize numbers, dates, units and abbreviations.'),
    format: orDefault(
      z.enum(AUDIO_FORMATS),
      'mp3',
      '`opus` is in an Ogg container, `pcm` is raw 16-bit little endian.',
    ),
    sample_rate: z.int().nullish().describe('In Hz. Default: that of the format.'),
    mp3_bitrate: orDefault(bitrate('mp3_bitrate', MP3_BITRATES_KBPS), 128, 'In kbps; bps is accepted too.'),
    opus_bitrate: orDefault(
      bitrate('opus_bitrate', OPUS_BITRATES_KBPS),
      OPUS_AUTO,
      'In bps; kbps is accepted too. -1000: automatic.',
    ),
    latency: orDefault(z.enum(LATENCIES), 'normal', 'Trade-off between early first audio and quality.'),
    features: z.array(z.string().max(64)).max(64).nullish().describe('Accepted and ignored.'),
    pronunciation_dictionary: DictionaryReferencesSchema.nullish().describe(
      'Up to three dictionaries by descending priority: published versions, or lists of items.',
    ),
    seed: z.int().nullish().describe('Two equal requests with a seed give equal bytes.'),
    language: z
      .string()
      .nullish()
      .describe('Language of the text, e.g. `en-GB`. Default: that of the voice.'),
    visemes: orDefault(z.boolean(), false, 'Extension: whether word times include visemes.'),
    streaming: z.unknown().optional().describe('Accepted and ignored: audio is always streamed.'),
    use_memory_cache: z.unknown().optional().describe('Accepted and ignored.'),
  })
  .superRefine(checkSampleRate)
  .meta({ id: 'TtsRequest' });

/** Adds an issue for a sample rate that the format does not support. */
export function checkSampleRate(
  { format, sample_rate }: { readonly format: AudioFormat; readonly sample_rate?: number | null | undefined },
  context: z.RefinementCtx,
): void {
  const { contentType, sampleRatesHz } = FORMATS[format];
  if (sample_rate === null || sample_rate === undefined || sampleRatesHz.includes(sample_rate)) return;
  const params: IssueParams = { code: 'sample_rate_not_supported' };
  context.addIssue({
    code: 'custom',
    path: ['sample_rate'],
    message: `Invalid sample rate ${sample_rate} for format ${contentType}. Supported sample rates: ${sampleRatesHz.join(', ')}`,
    params: { ...params },
  });
}

/** The headers of every speech route. */
export const SpeechHeadersSchema = z.looseObject({
  model: z
    .string()
    .optional()
    .describe(`One of ${WIRE_MODELS.join(', ')}. Absent or unknown: the default model of the server.`),
});

/** The errors of every speech route. */
export const SPEECH_ERRORS = [
  'invalid_request',
  'invalid_body',
  'voice_not_found',
  'speaker_without_voice',
  'invalid_audio',
  'audio_too_long',
  'unusable_recording',
  'cloning_unavailable',
  'sample_rate_not_supported',
  'language_not_supported',
  'nothing_to_speak',
  'invalid_phonemes',
  'invalid_ssml',
  'text_not_synthesizable',
  'not_supported',
  'invalid_api_key',
  'insufficient_balance',
  'spend_cap_reached',
  'insufficient_scope',
  'idempotency_in_progress',
  'idempotency_outcome_gone',
  'body_too_large',
  'body_timeout',
  'text_too_long',
  'too_many_cues',
  'unsupported_media_type',
  'idempotency_key_reused',
  'idempotency_limit',
  'concurrency_exceeded',
  'rate_limited',
  'queue_full',
  'engine_failed',
  'engine_unavailable',
  'database_unavailable',
  'cross_site_request',
  'storage_unavailable',
] as const satisfies readonly ErrorCode[];

export type TtsRequest = z.output<typeof TtsRequestSchema>;

/** `mp3_bitrate` in kbps; accepts both units. */
export function toMp3BitrateKbps(given: number): (typeof MP3_BITRATES_KBPS)[number] {
  return MP3_BITRATES_KBPS.find((kbps) => given === kbps || given === kbps * 1000) ?? 128;
}

/** `opus_bitrate` in bps; accepts both units. */
export function toOpusBitrateBps(given: number): number | 'auto' {
  if (given === OPUS_AUTO) return 'auto';
  return given < 1000 ? given * 1000 : given;
}

// Clients send null in place of an absent field.
function orDefault<Schema extends z.ZodType>(schema: Schema, value: z.output<Schema>, description: string) {
  return schema
    .nullish()
    .meta({ default: value, description })
    .transform((given): z.output<Schema> => given ?? value);
}

function within(name: string, min: number, max: number) {
  const message = `${name} must be in [${decimal(min)}, ${decimal(max)}]`;
  return z.number().min(min, message).max(max, message);
}

function integerWithin(name: string, min: number, max: number) {
  const message = `${name} must be in [${min}, ${max}]`;
  return z.int().min(min, message).max(max, message);
}

/** A bitrate in kbps or bps. A negative value is special and has no unit. */
function bitrate(name: string, kbps: readonly number[]) {
  const allowed = kbps.flatMap((rate) => (rate > 0 ? [rate, rate * 1000] : [rate]));
  return z.literal(allowed, `${name} must be one of ${allowed.join(', ')}`);
}

function decimal(value: number): string {
  return Number.isInteger(value) ? value.toFixed(1) : String(value);
}
