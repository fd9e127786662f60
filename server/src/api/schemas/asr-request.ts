import { z } from 'zod';
import { parseLanguageHint } from '../../domain/transcription/language-hint.ts';
import {
  CHANNEL_MODES,
  type SpeakerCount,
  TRANSCRIPTION_MODELS,
  type TranscriptionModel,
  type TranscriptionOptions,
} from '../../domain/transcription/transcription-service.ts';
import type { UploadedRecording } from '../uploads/uploaded-recording.ts';
import { TRANSCRIPT_FORMATS } from './transcript.ts';

/** More speakers than this are not told apart. */
export const SPEAKERS_MAX = 32;
const VOCABULARY_MAX = 500;

const speakerCount = optional(z.preprocess(numberFromText, z.int().min(1).max(SPEAKERS_MAX)));

/** The form of `POST /v1/asr`. Null is as good as absent for every optional field; unknown fields are ignored. */
export const AsrRequestSchema = z
  .object({
    audio: z
      .custom<UploadedRecording>((value) => value !== undefined, 'missing field `audio`')
      .meta({
        type: 'string',
        format: 'binary',
        description: 'The recording. Its format is told by its bytes.',
      }),
    language: optional(z.string()).describe('Language that is spoken, e.g. `en`. Absent: it is detected.'),
    ignore_timestamps: flag(true)
      .meta({ default: true })
      .describe('Whether `segments` stays empty. In a form every value but `true` means false.'),
    prompt: optional(z.string().max(4000)).describe(
      'Text that could have come before: its names and spelling are taken up.',
    ),
    vocabulary: optional(
      z.preprocess(listFromText, z.array(z.string().trim().min(1).max(100)).max(VOCABULARY_MAX)),
    ).describe('Names and terms that are likely to be said: a list, or text with commas.'),
    format: optional(z.enum(TRANSCRIPT_FORMATS)).describe('How the answer is written; wins over `Accept`.'),
    channels: optional(z.enum(CHANNEL_MODES)).describe(
      '`split` transcribes the channels of a file apart. Absent or `mix`: they are mixed.',
    ),
    tag_audio_events: flag(true)
      .meta({ default: true })
      .describe('Accepted for compatibility: no model here tells laughter from speech, so none is marked.'),
    diarize: optionalFlag().describe(
      '`transcribe-1-pro`: whether speakers are told apart. Absent: they are.',
    ),
    num_speakers: speakerCount.describe('`transcribe-1-pro`: how many people speak.'),
    min_speakers: speakerCount.describe('`transcribe-1-pro`: at least so many people speak.'),
    max_speakers: speakerCount.describe('`transcribe-1-pro`: at most so many people speak.'),
  })
  .superRefine(({ diarize, num_speakers, min_speakers, max_speakers }, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (num_speakers && (min_speakers || max_speakers)) {
      refuse('num_speakers', '`num_speakers` excludes `min_speakers` and `max_speakers`');
    }
    if (diarize === false && (num_speakers || min_speakers || max_speakers)) {
      refuse('diarize', 'a number of speakers cannot be given with `diarize` false');
    }
    if (min_speakers && max_speakers && min_speakers > max_speakers) {
      refuse('min_speakers', '`min_speakers` must not be above `max_speakers`');
    }
  })
  .meta({ id: 'AsrRequest' });

export type AsrRequest = z.output<typeof AsrRequestSchema>;

/** What the form asks of the transcription. */
export function toTranscriptionOptions(form: AsrRequest, model: TranscriptionModel): TranscriptionOptions {
  return {
    model,
    language: parseLanguageHint(form.language),
    prompt: form.prompt?.trim() || undefined,
    vocabulary: form.vocabulary ?? [],
    channels: form.channels ?? 'mix',
    speakers: model === 'transcribe-1-pro' && form.diarize !== false ? toSpeakerCount(form) : undefined,
  };
}

/** The model a `model` header means: spelling is forgiven, and what is unknown means the first. */
export function resolveTranscriptionModel(header: string | undefined): TranscriptionModel {
  const wanted = (header ?? '')
    .trim()
    .toLowerCase()
    .replace(/^fish-audio\//, '')
    .replaceAll(/[\s_]+/g, '-');
  return TRANSCRIPTION_MODELS.find((model) => model === wanted) ?? TRANSCRIPTION_MODELS[0];
}

function toSpeakerCount({ num_speakers, min_speakers, max_speakers }: AsrRequest): SpeakerCount {
  return {
    min: num_speakers ?? min_speakers ?? 1,
    max: num_speakers ?? max_speakers ?? SPEAKERS_MAX,
  };
}

// Clients send explicit nulls, or empty fields, for whatever they leave out.
function optional<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => (value === null || value === '' ? undefined : value), schema.optional());
}

function flag(fallback: boolean) {
  return optional(z.preprocess(flagFromText, z.boolean())).transform((given) => given ?? fallback);
}

function optionalFlag() {
  return optional(z.preprocess(flagFromText, z.boolean()));
}

// A form knows only text, and every text but `true` counts as false there.
function flagFromText(value: unknown): unknown {
  return typeof value === 'string' ? value.trim().toLowerCase() === 'true' : value;
}

function numberFromText(value: unknown): unknown {
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
}

function listFromText(value: unknown): unknown {
  const parts = [value].flat().flatMap((part) => (typeof part === 'string' ? part.split(/[,\n]/) : [part]));
  return parts.filter((part) => typeof part !== 'string' || part.trim() !== '');
}
