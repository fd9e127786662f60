import type { ErrorCode } from '../../errors.ts';
import type { Transcript, TranscriptionOptions, TranscriptSegment } from './transcription-service.ts';

export const JOB_STATUSES = ['queued', 'running', 'finished', 'failed', 'cancelled'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** A recording that is transcribed while nobody waits for it. */
export interface TranscriptionJob {
  readonly id: string;
  readonly accountId: string;
  readonly status: JobStatus;
  readonly options: TranscriptionOptions;
  /** Who asked, and for which kind of answer; the job itself does not look at it. */
  readonly view: Readonly<Record<string, unknown>>;
  readonly createdAtMs: number;
  readonly finishedAtMs: number | undefined;
  /** Everything before this has been heard, and its segments are kept. */
  readonly processedSeconds: number;
  /** 0 to 1. */
  readonly fraction: number;
  /** How often somebody began with it and did not come to an end. */
  readonly attempts: number;
  readonly failure: JobFailure | undefined;
}

/** Why a job failed, as a client may see it. */
export interface JobFailure {
  readonly code: ErrorCode;
  readonly message: string;
}

/** How a job ended. */
export type JobOutcome =
  | { readonly status: 'finished'; readonly transcript: Transcript }
  | { readonly status: 'failed'; readonly failure: JobFailure };

/** Jobs and what was heard so far, kept beyond the life of a process. */
export interface JobStore {
  add(job: Pick<TranscriptionJob, 'id' | 'accountId' | 'options' | 'view' | 'createdAtMs'>): Promise<void>;
  find(id: string): Promise<TranscriptionJob | undefined>;
  countOpen(): Promise<number>;
  /** Takes the oldest job that nobody works on, until `leaseUntilMs`. */
  claim(nowMs: number, leaseUntilMs: number): Promise<TranscriptionJob | undefined>;
  /** Notes how far a job is, and holds it longer. False when it is no longer ours: cancelled, or taken by another. */
  renew(
    id: string,
    progress: { readonly processedSeconds: number; readonly fraction: number; readonly leaseUntilMs: number },
  ): Promise<boolean>;
  /** Gives a job back for somebody to go on with, at `notBeforeMs` or later. */
  release(id: string, options: { readonly notBeforeMs: number; readonly isAttempt: boolean }): Promise<void>;
  /** Keeps what was heard. The same index again replaces it. */
  addSegment(id: string, index: number, segment: TranscriptSegment): Promise<void>;
  segments(id: string): Promise<readonly TranscriptSegment[]>;
  /** Ends a running job. Does nothing when it was cancelled in the meantime. */
  finish(id: string, outcome: JobOutcome, nowMs: number): Promise<void>;
  /** The transcript of a finished job. */
  transcript(id: string): Promise<Transcript | undefined>;
  /** Ends a job that is not over. */
  cancel(id: string, nowMs: number): Promise<void>;
  /** Removes jobs that ended before, with everything that was heard, and returns their ids. */
  removeEndedBefore(timeMs: number): Promise<readonly string[]>;
}
