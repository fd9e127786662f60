import { randomBytes } from 'node:crypto';
import { ApiError, ERRORS } from '../../errors.ts';
import type { Caller } from '../accounts/caller.ts';
import type { JobFailure, JobStore, TranscriptionJob, TranscriptView } from './job-store.ts';
import { mainLanguage, transcriptText } from './transcript-text.ts';
import type {
  ResumePoint,
  Transcript,
  TranscriptionOptions,
  TranscriptionService,
} from './transcription-service.ts';
import type { Upload, UploadStore } from './upload-store.ts';

export interface JobSettings {
  /** Maximum number of jobs that run at the same time. */
  readonly concurrency: number;
  /** Maximum number of queued and running jobs; further ones are rejected. */
  readonly openMax: number;
  /** Retention time of an ended job and its result. */
  readonly retentionMs: number;
}

export interface JobDeps {
  readonly store: JobStore;
  readonly service: Pick<TranscriptionService, 'transcribe'>;
  readonly uploads: UploadStore;
  readonly settings: JobSettings;
  /** Called with a result before it is stored. If it throws, the job fails with that error. */
  readonly onResult: (job: TranscriptionJob, transcript: Transcript) => Promise<void>;
  /** Reports an event for the log. The facts contain no text and no audio. */
  readonly onEvent: (event: string, facts: Record<string, unknown>) => void;
}

/** A job with its transcript: complete when the job is finished, partial while it runs. */
export interface JobWithResult {
  readonly job: TranscriptionJob;
  readonly transcript: Transcript;
}

/** Lease duration. A job whose process has died becomes available again after this time. */
const LEASE_MS = 15_000;
const RENEW_EVERY_MS = 5_000;
const POLL_EVERY_MS = 1_000;
const CLEAN_EVERY_MS = 600_000;
/** Age at which a stored recording without a job counts as orphaned. A younger one may belong to a submission in progress. */
const ORPHAN_AFTER_MS = 3_600_000;
const ATTEMPTS_MAX = 4;
const RETRY_AFTER_MS = 2_000;

/** Transcribes recordings in the background. Segments are stored, so a restart continues without repeating work. */
export class TranscriptionJobs {
  readonly #deps: JobDeps;
  readonly #running = new Map<string, { readonly abort: AbortController; readonly done: Promise<void> }>();
  readonly #timers: NodeJS.Timeout[] = [];
  #isClosed = false;
  #isPolling = false;

  constructor(deps: JobDeps) {
    this.#deps = deps;
  }

  /** Starts to process queued jobs. */
  start(): void {
    const every = (ms: number, work: () => Promise<void>) =>
      this.#timers.push(setInterval(() => this.#runInBackground(work), ms).unref());
    every(POLL_EVERY_MS, () => this.#poll());
    every(CLEAN_EVERY_MS, () => this.#clean());
    this.#runInBackground(() => this.#clean());
    this.#runInBackground(() => this.#poll());
  }

  /** Stores a recording, queues a job for it and returns the id of the job. */
  async submit(request: {
    readonly caller: Caller;
    readonly upload: Upload;
    readonly options: TranscriptionOptions;
    readonly view: TranscriptView;
  }): Promise<string> {
    const { store, settings } = this.#deps;
    if ((await store.countOpen()) >= settings.openMax) {
      throw new ApiError('queue_full', 'Too many recordings are waiting to be transcribed.', {
        retryAfterSeconds: 60,
      });
    }
    const id = `asr_${randomBytes(12).toString('hex')}`;
    await request.upload.store(id);
    const { caller, options, view } = request;
    await store.add({ id, caller, options, view, createdAtMs: Date.now() });
    this.#runInBackground(() => this.#poll());
    return id;
  }

  /** A job of the account with its result so far. A job of another account is `job_not_found`. */
  async find(accountId: string, id: string): Promise<JobWithResult> {
    const { store } = this.#deps;
    const job = await store.find(id);
    if (job === undefined || job.caller.accountId !== accountId) {
      throw new ApiError('job_not_found', 'No transcription job has this id.');
    }
    const transcript = (await store.transcript(id)) ?? partialTranscript(job, await store.segments(id));
    return { job, transcript };
  }

  /** Cancels a queued or running job and deletes its recording. The result so far remains available. */
  async cancel(accountId: string, id: string): Promise<JobWithResult> {
    await this.find(accountId, id);
    await this.#deps.store.cancel(id, Date.now());
    this.#running.get(id)?.abort.abort();
    await this.#deps.uploads.discard(id);
    return this.find(accountId, id);
  }

  /** Stops all running jobs. Their segments are stored; the next process continues from there. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers) clearInterval(timer);
    for (const { abort } of this.#running.values()) abort.abort();
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  async #poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    try {
      while (!this.#isClosed && this.#running.size < this.#deps.settings.concurrency) {
        const now = Date.now();
        const job = await this.#deps.store.claim(now, now + LEASE_MS);
        if (job === undefined) return;
        this.#begin(job);
      }
    } finally {
      this.#isPolling = false;
    }
  }

  #begin(job: TranscriptionJob): void {
    const abort = new AbortController();
    const done = this.#run(job, abort)
      .catch((error: unknown) =>
        this.#deps.onEvent('a transcription job was lost', { id: job.id, err: error }),
      )
      .finally(() => {
        this.#running.delete(job.id);
        this.#runInBackground(() => this.#poll());
      });
    this.#running.set(job.id, { abort, done });
  }

  async #run(job: TranscriptionJob, abort: AbortController): Promise<void> {
    const { store, service, uploads } = this.#deps;
    const { id, options } = job;
    const resume = await this.#resumePoint(job);
    let progress = { processedSeconds: resume.processedSeconds, fraction: job.fraction };
    const renew = async () => {
      const isLeaseValid = await store.renew(id, { ...progress, leaseUntilMs: Date.now() + LEASE_MS });
      if (!isLeaseValid) abort.abort();
    };
    const timer = setInterval(() => this.#runInBackground(renew), RENEW_EVERY_MS);
    try {
      let index = resume.segments.length;
      const request = { ...options, path: uploads.pathOf(id), resume };
      for await (const event of service.transcribe(request, abort.signal)) {
        if (event.type === 'segment') await store.addSegment(id, index++, event.segment);
        else if (event.type === 'progress') {
          progress = event;
          await renew();
        } else {
          await this.#deps.onResult(job, event.transcript);
          await store.finish(id, { status: 'finished', transcript: event.transcript }, Date.now());
        }
      }
      await uploads.discard(id);
    } catch (error) {
      if (!abort.signal.aborted) await this.#fail(job, error);
      // No effect on a cancelled job, which is no longer running.
      else await store.release(id, { notBeforeMs: 0, isAttempt: false });
    } finally {
      clearInterval(timer);
    }
  }

  async #resumePoint(job: TranscriptionJob): Promise<ResumePoint> {
    const { processedSeconds } = job;
    const segments = await this.#deps.store.segments(job.id);
    // A segment that was stored before a crash without the progress after it is transcribed again.
    return {
      processedSeconds,
      segments: segments.filter((segment) => segment.startSeconds < processedSeconds),
    };
  }

  async #fail(job: TranscriptionJob, error: unknown): Promise<void> {
    const { store, uploads, onEvent } = this.#deps;
    const { code, message } = toFailure(error);
    const isRetryable = code !== 'internal' && ERRORS[code].retryable;
    if (isRetryable && job.attempts < ATTEMPTS_MAX) {
      await store.release(job.id, { notBeforeMs: Date.now() + RETRY_AFTER_MS, isAttempt: true });
      return;
    }
    onEvent('a transcription job failed', { id: job.id, code, ...(code === 'internal' && { err: error }) });
    await store.finish(job.id, { status: 'failed', failure: { code, message } }, Date.now());
    await uploads.discard(job.id);
  }

  /** Deletes expired jobs and recordings that no job needs. */
  async #clean(): Promise<void> {
    const { store, uploads, settings } = this.#deps;
    for (const id of await store.removeEndedBefore(Date.now() - settings.retentionMs))
      await uploads.discard(id);
    for (const { name, storedAtMs } of await uploads.listStored()) {
      const job = await store.find(name);
      const isOrphan = job === undefined && storedAtMs < Date.now() - ORPHAN_AFTER_MS;
      if (isOrphan || job?.finishedAtMs !== undefined) await uploads.discard(name);
    }
  }

  #runInBackground(work: () => Promise<void>): void {
    work().catch((error: unknown) =>
      this.#deps.onEvent('transcription jobs: storage failed', { err: error }),
    );
  }
}

function partialTranscript(job: TranscriptionJob, segments: Transcript['segments']): Transcript {
  return {
    text: transcriptText(segments, undefined),
    durationSeconds: job.processedSeconds,
    language: mainLanguage(segments),
    segments,
    speakerTurns: undefined,
  };
}

function toFailure(error: unknown): JobFailure {
  if (error instanceof ApiError) return { code: error.code, message: error.message };
  return { code: 'internal', message: 'Something went wrong on the server.' };
}
