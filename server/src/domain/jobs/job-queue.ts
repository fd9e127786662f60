import { ApiError, type ErrorCode, isStorageFault } from '../../errors.ts';

/** The reason why a job failed, as shown to the client. */
export interface JobFailure {
  readonly code: ErrorCode;
  readonly message: string;
}

/** Limits of background jobs of one kind. */
export interface JobQueueSettings {
  /** Maximum number of jobs that run at the same time. */
  readonly concurrency: number;
  /** Maximum number of jobs that have not ended; further ones are rejected. */
  readonly openMax: number;
  /** The same for one account. */
  readonly openPerAccountMax: number;
  /** Retention time of an ended job and its result. */
  readonly retentionMs: number;
  /** Lease duration. A job whose process has died or stalled is claimed by another process after this time. */
  readonly leaseMs: number;
}

/** Number of jobs that have not ended. */
export interface OpenJobs {
  readonly all: number;
  readonly account: number;
}

/** How a job returns to the queue: available after `delayMs`. `isAttempt` counts it as a failed attempt. */
export interface JobRelease {
  readonly delayMs: number;
  readonly isAttempt: boolean;
}

/** Number of times a job is started again after an error that may be temporary. */
export const ATTEMPTS_MAX = 4;
/** Maximum number of processes that end during a job without progress, for example because its content kills them. */
export const LOST_PROCESSES_MAX = 6;
export const RETRY_AFTER_MS = 2_000;
const FULL_RETRY_AFTER_SECONDS = 60;

/** Throws `job_limit` or `queue_full` when a further job would exceed the limits. `what` names the jobs. */
export function requireRoom(open: OpenJobs, settings: JobQueueSettings, what: string): void {
  const options = { retryAfterSeconds: FULL_RETRY_AFTER_SECONDS };
  if (open.account >= settings.openPerAccountMax)
    throw new ApiError('job_limit', `This account has too many unfinished ${what}.`, options);
  if (open.all >= settings.openMax)
    throw new ApiError('queue_full', `The server has too many unfinished ${what}.`, options);
}

/** What the client is shown of an error that ended a job. */
export function toFailure(error: unknown): JobFailure {
  if (error instanceof ApiError) return { code: error.code, message: error.message };
  if (isStorageFault(error)) {
    return { code: 'storage_unavailable', message: 'The server cannot read or write a file of this job.' };
  }
  return { code: 'internal', message: 'Something went wrong on the server.' };
}
