import { z } from 'zod';
import { parseLanguageHint } from '../../../domain/transcription/language-hint.ts';
import {
  CHANNEL_MODES,
  type SpeakerCount,
  TRANSCRIPTION_MODELS,
  type TranscriptionModel,
  type TranscriptionOptions,
} from '../../../domain/transcription/transcription-service.ts';
import type { UploadedRecording } from '../../uploads/uploaded-recording.ts';
import { flag, flagFromText, numberFromText, optional } from '../form-fields.ts';
import { TRANSCRIPT_FORMATS } from './transcript.ts';

/** Maximum number of speakers that diarization separates. */
export const SPEAKERS_MAX = 32;
const VOCABULARY_MAX = 500;

const speakerCount = optional(z.preprocess(numberFromText, z.int().min(1).max(SPEAKERS_MAX)));

/** The form of `POST /v1/asr`. Null is equivalent to an absent field; unknown fields are ignored. */
export const AsrRequestSchema = z
  .object({
    audio: z
      .custom<UploadedRecording>((value) => value !== undefined, 'missing field `audio`')
      .meta({
        type: 'string',
        format: 'binary',
        description: 'The recording. Its format is detected from its content.',
      }),
    model: optional(z.string().max(100)).describe('Same as the header `model`, which takes precedence.'),
    language: optional(z.string()).describe('Spoken language, e.g. `en`. Default: detected.'),
    ignore_timestamps: flag(true)
      .meta({ default: true })
      .describe('Whether `segments` is empty. In a form every value except `true` means false.'),
    prompt: optional(z.string().max(4000)).describe('Preceding text: its names and spellings are preferred.'),
    vocabulary: optional(
      z.preprocess(listFromText, z.array(z.string().trim().min(1).max(100)).max(VOCABULARY_MAX)),
    ).describe('Names and terms that are likely to occur: a list, or comma-separated text.'),
    format: optional(z.enum(TRANSCRIPT_FORMATS)).describe('Response format; takes precedence over `Accept`.'),
    channels: optional(z.enum(CHANNEL_MODES)).describe(
      '`split` transcribes each channel separately. Default: `mix`.',
    ),
    tag_audio_events: flag(true)
      .meta({ default: true })
      .describe('Accepted and ignored: no installed model detects audio events.'),
    diarize: optionalFlag().describe('`transcribe-1-pro`: whether to diarize. Default: true.'),
    num_speakers: speakerCount.describe('`transcribe-1-pro`: number of speakers.'),
    min_speakers: speakerCount.describe('`transcribe-1-pro`: minimum number of speakers.'),
    max_speakers: speakerCount.describe('`transcribe-1-pro`: maximum number of speakers.'),
  })
  .superRefine(({ diarize, num_speakers, min_speakers, max_speakers }, context) => {
    const addIssue = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (num_speakers && (min_speakers || max_speakers)) {
      addIssue('num_speakers', '`num_speakers` excludes `min_speakers` and `max_speakers`');
    }
    if (diarize === false && (num_speakers || min_speakers || max_speakers)) {
      addIssue('diarize', 'a number of speakers cannot be given with `diarize` false');
    }
    if (min_speakers && max_speakers && min_speakers > max_speakers) {
      addIssue('min_speakers', '`min_speakers` must not be above `max_speakers`');
    }
  })
  .meta({ id: 'AsrRequest' });

export type AsrRequest = z.output<typeof AsrRequestSchema>;

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

/** Resolves a `model` header. Case and spaces are ignored; an unknown model gives the first. */
export function resolveTranscriptionModel(header: string | undefined): TranscriptionModel {
  const name = (header ?? '')
    .trim()
    .toLowerCase()
    .replace(/^fish-audio\//, '')
    .replaceAll(/[\s_]+/g, '-');
  return TRANSCRIPTION_MODELS.find((model) => model === name) ?? TRANSCRIPTION_MODELS[0];
}

function toSpeakerCount({ num_speakers, min_speakers, max_speakers }: AsrRequest): SpeakerCount {
  return {
    min: num_speakers ?? min_speakers ?? 1,
    max: num_speakers ?? max_speakers ?? SPEAKERS_MAX,
  };
}

function optionalFlag() {
  return optional(z.preprocess(flagFromText, z.boolean()));
}

function listFromText(value: unknown): unknown {
  const parts = [value].flat().flatMap((part) => (typeof part === 'string' ? part.split(/[,\n]/) : [part]));
  return parts.filter((part) => typeof part !== 'string' || part.trim() !== '');
}
