import { z } from 'zod';
import { AUDIO_FORMATS, FORMATS } from '../../audio/formats.ts';
import { LATENCIES } from '../../domain/speech/speech-service.ts';
import type { ErrorCode } from '../../errors.ts';
import type { IssueParams } from '../wire/validation.ts';
import { WIRE_MODELS } from '../wire/wire-models.ts';
import { DictionaryReferencesSchema } from './pronunciation.ts';
import { ReferencesSchema } from './references.ts';

const MP3_BITRATES_KBPS = [64, 128, 192] as const;
const OPUS_AUTO = -1000;
const OPUS_BITRATES_KBPS = [24, 32, 48, 64, OPUS_AUTO];

const Prosody = z
  .object({
    speed: orDefault(within('speed', 0.5, 2), 1, 'Pace: 1 is the voice’s own, 2 twice as fast.'),
    volume: orDefault(z.number(), 0, 'Gain in dB, held to -20 … 20.'),
    normalize_loudness: orDefault(z.boolean(), true, 'Bring the speech to an even loudness.'),
  })
  .meta({ id: 'Prosody' });

/** The body of `POST /v1/tts`. Null is as good as absent for every optional field; unknown fields are ignored. */
export const TtsRequestSchema = z
  .object({
    text: z.string().describe('What to say. An empty text gives an empty audio file.'),
    reference_id: z
      .union(
        [z.string(), z.array(z.string())],
        'invalid type for `reference_id`: expected a string or a list of strings',
      )
      .nullish()
      .describe(
        'Id or name of a voice from `GET /model`. A list gives the voices of `<|speaker:0|>`, `<|speaker:1|>`, … Absent: the default voice.',
      ),
    references: ReferencesSchema.nullish().describe(
      'Recordings of a person to speak like, used once: a list, or a list for each speaker. A `reference_id` wins over a plain list.',
    ),
    prosody: Prosody.nullish().describe('Pace and loudness.'),
    temperature: orDefault(z.number(), 0.7, 'Variability, held to 0 … 1.'),
    top_p: orDefault(within('top_p', 0, 1), 0.7, 'Accepted for compatibility.'),
    repetition_penalty: orDefault(z.number(), 1.2, 'Accepted for compatibility.'),
    max_new_tokens: orDefault(z.int(), 1024, 'Accepted for compatibility.'),
    chunk_length: orDefault(
      wholeWithin('chunk_length', 100, 300),
      300,
      'Length of a text segment, in characters.',
    ),
    min_chunk_length: orDefault(
      wholeWithin('min_chunk_length', 0, 100),
      50,
      'No segment is split below this length.',
    ),
    condition_on_previous_chunks: orDefault(z.boolean(), true, 'Keep the delivery even across segments.'),
    early_stop_threshold: orDefault(within('early_stop_threshold', 0, 1), 1, 'Accepted for compatibility.'),
    normalize: orDefault(z.boolean(), true, 'Spell out numbers, dates, units and the like.'),
    format: orDefault(
      z.enum(AUDIO_FORMATS),
      'mp3',
      '`opus` comes in an Ogg container, `pcm` is raw 16-bit little endian.',
    ),
    sample_rate: z.int().nullish().describe('In Hz. Absent: the default of the format.'),
    mp3_bitrate: orDefault(bitrate('mp3_bitrate', MP3_BITRATES_KBPS), 128, 'In kbps; bps is understood too.'),
    opus_bitrate: orDefault(
      bitrate('opus_bitrate', OPUS_BITRATES_KBPS),
      OPUS_AUTO,
      'In bps; kbps is understood too. -1000 chooses by itself.',
    ),
    latency: orDefault(
      z.enum(LATENCIES),
      'normal',
      'Whether an early first sound matters more than an even flow.',
    ),
    features: z.array(z.string()).nullish().describe('Accepted for compatibility.'),
    pronunciation_dictionary: DictionaryReferencesSchema.nullish().describe(
      'Up to three dictionaries, earlier ones first: published versions, or lists of items.',
    ),
    seed: z.int().nullish().describe('Two equal requests with a seed give equal bytes.'),
    language: z.string().nullish().describe('Language of the text, e.g. `en-GB`. Absent: the voice’s own.'),
    visemes: orDefault(
      z.boolean(),
      false,
      'Ours, where words come with times: the shapes of the mouth as well.',
    ),
    streaming: z.unknown().optional().describe('Accepted for compatibility: audio is always streamed.'),
    use_memory_cache: z.unknown().optional().describe('Accepted for compatibility.'),
  })
  .superRefine(({ format, sample_rate }, context) => {
    const { contentType, sampleRatesHz } = FORMATS[format];
    if (sample_rate === null || sample_rate === undefined || sampleRatesHz.includes(sample_rate)) return;
    const params: IssueParams = { code: 'sample_rate_not_supported' };
    context.addIssue({
      code: 'custom',
      path: ['sample_rate'],
      message: `Invalid sample rate ${sample_rate} for format ${contentType}. Supported sample rates: ${sampleRatesHz.join(', ')}`,
      params: { ...params },
    });
  })
  .meta({ id: 'TtsRequest' });

/** The headers of every route that speaks. */
export const SpeechHeadersSchema = z.looseObject({
  model: z
    .string()
    .optional()
    .describe(`One of ${WIRE_MODELS.join(', ')}. Absent or unknown: the server’s default model.`),
});

/** What every route that speaks may refuse. */
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
  'not_supported',
  'invalid_api_key',
  'insufficient_balance',
  'spend_cap_reached',
  'insufficient_scope',
  'idempotency_in_progress',
  'idempotency_outcome_gone',
  'body_too_large',
  'text_too_long',
  'unsupported_media_type',
  'idempotency_key_reused',
  'concurrency_exceeded',
  'rate_limited',
  'queue_full',
  'engine_failed',
  'engine_unavailable',
] as const satisfies readonly ErrorCode[];

export type TtsRequest = z.output<typeof TtsRequestSchema>;

/** The bitrate of `mp3_bitrate`, in whichever unit it came. */
export function toMp3BitrateKbps(given: number): (typeof MP3_BITRATES_KBPS)[number] {
  return MP3_BITRATES_KBPS.find((kbps) => given === kbps || given === kbps * 1000) ?? 128;
}

/** The bitrate of `opus_bitrate`, in whichever unit it came. */
export function toOpusBitrateBps(given: number): number | 'auto' {
  if (given === OPUS_AUTO) return 'auto';
  return given < 1000 ? given * 1000 : given;
}

// Clients send explicit nulls for whatever they leave out.
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

function wholeWithin(name: string, min: number, max: number) {
  const message = `${name} must be in [${min}, ${max}]`;
  return z.int().min(min, message).max(max, message);
}

/** A bitrate in kbps or bps. A negative one is a special value and has no unit. */
function bitrate(name: string, kbps: readonly number[]) {
  const allowed = kbps.flatMap((rate) => (rate > 0 ? [rate, rate * 1000] : [rate]));
  return z.literal(allowed, `${name} must be one of ${allowed.join(', ')}`);
}

function decimal(value: number): string {
  return Number.isInteger(value) ? value.toFixed(1) : String(value);
}
