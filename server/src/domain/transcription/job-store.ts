import type { ErrorCode } from '../../errors.ts';
import type { Caller } from '../accounts/caller.ts';
import type { Transcript, TranscriptionOptions, TranscriptSegment } from './transcription-service.ts';

export const JOB_STATUSES = ['queued', 'running', 'finished', 'failed', 'cancelled'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** The response format that the client requested when it submitted the recording. Jobs store it unread. */
export interface TranscriptView {
  readonly format: 'json' | 'verbose' | 'text' | 'srt' | 'vtt';
  readonly ignoreTimestamps: boolean;
}

/** A recording that is transcribed in the background. */
export interface TranscriptionJob {
  readonly id: string;
  /** The caller that submitted the recording and is charged for it. */
  readonly caller: Caller;
  readonly status: JobStatus;
  readonly options: TranscriptionOptions;
  readonly view: TranscriptView;
  readonly createdAtMs: number;
  readonly finishedAtMs: number | undefined;
  /** All audio before this position is transcribed, and its segments are stored. */
  readonly processedSeconds: number;
  /** 0 to 1. */
  readonly fraction: number;
  /** Number of times the job was claimed and not completed. */
  readonly attempts: number;
  readonly failure: JobFailure | undefined;
}

/** The reason why a job failed, as shown to the client. */
export interface JobFailure {
  readonly code: ErrorCode;
  readonly message: string;
}

export type JobOutcome =
  | { readonly status: 'finished'; readonly transcript: Transcript }
  | { readonly status: 'failed'; readonly failure: JobFailure };

/** Persistent storage of jobs and their segments. */
export interface JobStore {
  add(job: Pick<TranscriptionJob, 'id' | 'caller' | 'options' | 'view' | 'createdAtMs'>): Promise<void>;
  find(id: string): Promise<TranscriptionJob | undefined>;
  /** Number of queued and running jobs. */
  countOpen(): Promise<number>;
  /** Claims the oldest unclaimed job; the lease expires at `leaseUntilMs`. */
  claim(nowMs: number, leaseUntilMs: number): Promise<TranscriptionJob | undefined>;
  /** Records progress and renews the lease. False when the job was cancelled or claimed by another process. */
  renew(
    id: string,
    progress: { readonly processedSeconds: number; readonly fraction: number; readonly leaseUntilMs: number },
  ): Promise<boolean>;
  /** Returns a job to the queue, available from `notBeforeMs`. `isAttempt` counts it as a failed attempt. */
  release(id: string, options: { readonly notBeforeMs: number; readonly isAttempt: boolean }): Promise<void>;
  /** Stores a segment, replacing one with the same index. */
  addSegment(id: string, index: number, segment: TranscriptSegment): Promise<void>;
  segments(id: string): Promise<readonly TranscriptSegment[]>;
  /** Ends a running job. Does nothing when it was cancelled in the meantime. */
  finish(id: string, outcome: JobOutcome, nowMs: number): Promise<void>;
  /** The transcript of a finished job. */
  transcript(id: string): Promise<Transcript | undefined>;
  /** Cancels a queued or running job. */
  cancel(id: string, nowMs: number): Promise<void>;
  /** Deletes jobs that ended before `timeMs`, with their segments, and returns their ids. */
  removeEndedBefore(timeMs: number): Promise<readonly string[]>;
}
