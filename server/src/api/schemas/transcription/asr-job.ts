import { z } from 'zod';
import type { TranscriptView } from '../../../domain/transcription/job-store.ts';
import { JOB_STATUSES } from '../../../domain/transcription/job-store.ts';
import type { JobWithResult } from '../../../domain/transcription/transcription-jobs.ts';
import { TranscriptSchema, toTranscriptBody, transcriptContentOf } from './transcript.ts';

export const AsrJobSchema = z
  .object({
    id: z.string(),
    status: z.enum(JOB_STATUSES),
    progress: z.number().min(0).max(1),
    heard: z.number().describe('Seconds of the recording that have been transcribed.'),
    created_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable(),
    result: TranscriptSchema.describe(
      'The complete transcript when `finished`; the transcript so far before.',
    ),
    error: z
      .object({ code: z.string(), message: z.string() })
      .nullable()
      .describe('The error of a failed job.'),
  })
  .meta({ id: 'AsrJob', description: 'A recording that is transcribed in the background.' });

/** A job as JSON. */
export function toAsrJobBody(
  { job, transcript }: JobWithResult,
  view: TranscriptView,
): z.output<typeof AsrJobSchema> {
  return {
    id: job.id,
    status: job.status,
    ...toProgressBody(job),
    created_at: new Date(job.createdAtMs).toISOString(),
    finished_at: job.finishedAtMs === undefined ? null : new Date(job.finishedAtMs).toISOString(),
    result: toTranscriptBody(transcript, { requestId: job.id, ...transcriptContentOf(view) }),
    error: job.failure ? { code: job.failure.code, message: job.failure.message } : null,
  };
}

/** The progress of a job. */
export function toProgressBody(at: { readonly fraction: number; readonly processedSeconds: number }) {
  return {
    progress: Math.round(at.fraction * 1e4) / 1e4,
    heard: Math.round(at.processedSeconds * 1000) / 1000,
  };
}
