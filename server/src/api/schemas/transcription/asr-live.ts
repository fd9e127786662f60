import { z } from 'zod';
import { parseLanguageHint } from '../../../domain/transcription/language-hint.ts';
import {
  isSupportedLiveRate,
  LIVE_ENCODINGS,
  type LiveAudioFormat,
} from '../../../domain/transcription/live-audio.ts';
import type {
  TranscriptionModel,
  TranscriptionOptions,
} from '../../../domain/transcription/transcription-service.ts';
import type { IssueParams } from '../../wire/validation.ts';

/** The request of a `start` message. Null is equivalent to an absent field. */
export const LiveAsrRequestSchema = z.object({
  encoding: z.enum(LIVE_ENCODINGS).nullish(),
  sample_rate: z
    .int()
    .min(8000)
    .max(96_000)
    .refine(isSupportedLiveRate, {
      message: 'this sample rate cannot be converted to 16000 Hz',
      params: { code: 'sample_rate_not_supported' } satisfies IssueParams,
    })
    .nullish(),
  channels: z.literal([1, 2]).nullish(),
  language: z.string().nullish(),
  prompt: z.string().max(4000).nullish(),
  vocabulary: z.array(z.string().min(1).max(100)).max(500).nullish(),
  partials: z.boolean().nullish(),
});

export type LiveAsrRequest = z.output<typeof LiveAsrRequestSchema>;

export function toLiveAudioFormat(request: LiveAsrRequest): LiveAudioFormat {
  return {
    encoding: request.encoding ?? 'pcm',
    sampleRateHz: request.sample_rate ?? 16_000,
    channels: request.channels ?? 1,
  };
}

export function toLiveOptions(request: LiveAsrRequest, model: TranscriptionModel): TranscriptionOptions {
  return {
    model,
    language: parseLanguageHint(request.language),
    prompt: request.prompt?.trim() || undefined,
    vocabulary: request.vocabulary ?? [],
    speakers: undefined,
  };
}
