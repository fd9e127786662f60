import type { Caller } from '../accounts/caller.ts';
import type { Lease } from '../accounts/lease.ts';
import type { JobFailure, JobRelease, OpenJobs } from '../jobs/job-queue.ts';
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
  /** Number of times the job was claimed and neither completed nor released, since its last progress. */
  readonly attempts: number;
  readonly failure: JobFailure | undefined;
}

/** The lease of a process on a job. */
export type JobLease = Extract<Lease, { id: string }>;

/** A job that this process may work on while it holds the lease. */
export interface ClaimedJob extends TranscriptionJob {
  readonly lease: JobLease;
}

export type JobOutcome =
  | { readonly status: 'finished'; readonly transcript: Transcript }
  | { readonly status: 'failed'; readonly failure: JobFailure };

/**
 * Persistent storage of jobs and their segments. Leases follow the clock of the database. A write with a lease that
 * another process has taken over, or whose job was cancelled or deleted, does nothing and returns false.
 */
export interface JobStore {
  /** Adds a queued job. Does nothing when the id exists. */
  add(job: Pick<TranscriptionJob, 'id' | 'caller' | 'options' | 'view' | 'createdAtMs'>): Promise<void>;
  find(id: string): Promise<TranscriptionJob | undefined>;
  /** Number of queued and running jobs, of all accounts and of this one. */
  countOpen(accountId: string): Promise<OpenJobs>;
  /** Claims the oldest job that no process works on, of the account with the fewest running jobs. The lease expires after `leaseMs` without a write. */
  claim(leaseMs: number): Promise<ClaimedJob | undefined>;
  /** Claims this job. Undefined when it has ended or another process works on it. */
  claimById(id: string, leaseMs: number): Promise<ClaimedJob | undefined>;
  /** Records progress and renews the lease. */
  renew(
    lease: JobLease,
    progress: { readonly processedSeconds: number; readonly fraction: number },
    leaseMs: number,
  ): Promise<boolean>;
  /** Returns a job to the queue. */
  release(lease: JobLease, options: JobRelease): Promise<boolean>;
  /** Stores a segment, replacing one with the same index. */
  addSegment(lease: JobLease, index: number, segment: TranscriptSegment): Promise<boolean>;
  /** The segments from an index on; default: all. */
  segments(id: string, fromIndex?: number): Promise<readonly TranscriptSegment[]>;
  /** Ends a running job. */
  finish(lease: JobLease, outcome: JobOutcome, nowMs: number): Promise<boolean>;
  /** The transcript of a finished job. */
  transcript(id: string): Promise<Transcript | undefined>;
  /** Cancels a queued or running job. */
  cancel(id: string, nowMs: number): Promise<void>;
  /** Deletes jobs that ended before `timeMs`, with their segments, and returns their ids. */
  removeEndedBefore(timeMs: number): Promise<readonly string[]>;
}
