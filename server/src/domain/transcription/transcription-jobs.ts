import { randomBytes } from 'node:crypto';
import { ApiError, ERRORS } from '../../errors.ts';
import type { JobFailure, JobStore, TranscriptionJob } from './job-store.ts';
import { mainLanguage, transcriptText } from './transcript-text.ts';
import type {
  ResumePoint,
  Transcript,
  TranscriptionOptions,
  TranscriptionService,
} from './transcription-service.ts';
import type { Upload, UploadSpace } from './upload-space.ts';

export interface JobSettings {
  /** Jobs that are worked on at the same time. */
  readonly atOnce: number;
  /** Jobs that may wait or run; more are refused. */
  readonly openMax: number;
  /** How long an ended job and its result are kept. */
  readonly retentionMs: number;
}

export interface JobDeps {
  readonly store: JobStore;
  readonly service: Pick<TranscriptionService, 'transcribe'>;
  readonly uploads: UploadSpace;
  readonly settings: JobSettings;
  /** Told of a result before it is kept. What it throws is how the job fails. */
  readonly onResult: (job: TranscriptionJob, transcript: Transcript) => Promise<void>;
  /** Tells what happened, for the log. Facts only. */
  readonly onEvent: (event: string, facts: Record<string, unknown>) => void;
}

/** A job with what is known of its result: all of it when it is finished, the beginning while it runs. */
export interface JobWithResult {
  readonly job: TranscriptionJob;
  readonly transcript: Transcript;
}

/** Who dies with a job in his hands holds it so long. */
const LEASE_MS = 15_000;
const RENEW_EVERY_MS = 5_000;
const POLL_EVERY_MS = 1_000;
const CLEAN_EVERY_MS = 600_000;
/** A recording without a job is one that is being handed over, or was left behind; this tells them apart. */
const ORPHAN_AFTER_MS = 3_600_000;
const ATTEMPTS_MAX = 4;
const RETRY_AFTER_MS = 2_000;

/** Transcribes recordings in the background, across restarts: what was heard is kept, and heard once. */
export class TranscriptionJobs {
  readonly #deps: JobDeps;
  readonly #running = new Map<string, { readonly abort: AbortController; readonly done: Promise<void> }>();
  readonly #timers: NodeJS.Timeout[] = [];
  #isClosed = false;
  #isPolling = false;

  constructor(deps: JobDeps) {
    this.#deps = deps;
  }

  /** Begins to work on what is waiting. */
  start(): void {
    const every = (ms: number, work: () => Promise<void>) =>
      this.#timers.push(setInterval(() => this.#quietly(work), ms).unref());
    every(POLL_EVERY_MS, () => this.#poll());
    every(CLEAN_EVERY_MS, () => this.#clean());
    this.#quietly(() => this.#clean());
    this.#quietly(() => this.#poll());
  }

  /** Takes over a recording, and returns the id of its job. */
  async submit(request: {
    readonly accountId: string;
    readonly upload: Upload;
    readonly options: TranscriptionOptions;
    readonly view: Readonly<Record<string, unknown>>;
  }): Promise<string> {
    const { store, settings } = this.#deps;
    if ((await store.countOpen()) >= settings.openMax) {
      throw new ApiError('queue_full', 'Too many recordings are waiting to be transcribed.', {
        retryAfterSeconds: 60,
      });
    }
    const id = `asr_${randomBytes(12).toString('hex')}`;
    await request.upload.keep(id);
    const { accountId, options, view } = request;
    await store.add({ id, accountId, options, view, createdAtMs: Date.now() });
    this.#quietly(() => this.#poll());
    return id;
  }

  /** A job of the account with its result so far. Other accounts' jobs do not exist. */
  async find(accountId: string, id: string): Promise<JobWithResult> {
    const { store } = this.#deps;
    const job = await store.find(id);
    if (job === undefined || job.accountId !== accountId) {
      throw new ApiError('job_not_found', 'No transcription job has this id.');
    }
    const transcript = (await store.transcript(id)) ?? toPartial(job, await store.segments(id));
    return { job, transcript };
  }

  /** Stops a job, if it is not over, and forgets its recording. Its result so far stays. */
  async cancel(accountId: string, id: string): Promise<JobWithResult> {
    await this.find(accountId, id);
    await this.#deps.store.cancel(id, Date.now());
    this.#running.get(id)?.abort.abort();
    await this.#deps.uploads.discard(id);
    return this.find(accountId, id);
  }

  /** Stops working. What was heard is kept, and the next start goes on from there. */
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
      while (!this.#isClosed && this.#running.size < this.#deps.settings.atOnce) {
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
        this.#quietly(() => this.#poll());
      });
    this.#running.set(job.id, { abort, done });
  }

  async #run(job: TranscriptionJob, abort: AbortController): Promise<void> {
    const { store, service, uploads } = this.#deps;
    const { id, options } = job;
    const resume = await this.#resumePoint(job);
    let progress = { processedSeconds: resume.processedSeconds, fraction: job.fraction };
    const renew = async () => {
      const isOurs = await store.renew(id, { ...progress, leaseUntilMs: Date.now() + LEASE_MS });
      if (!isOurs) abort.abort();
    };
    const timer = setInterval(() => this.#quietly(renew), RENEW_EVERY_MS);
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
      // When it was cancelled this changes nothing: it is not running any more.
      else await store.release(id, { notBeforeMs: 0, isAttempt: false });
    } finally {
      clearInterval(timer);
    }
  }

  async #resumePoint(job: TranscriptionJob): Promise<ResumePoint> {
    const { processedSeconds } = job;
    const segments = await this.#deps.store.segments(job.id);
    // A crash may come between a segment and the progress behind it: that segment is heard again.
    return {
      processedSeconds,
      segments: segments.filter((segment) => segment.startSeconds < processedSeconds),
    };
  }

  async #fail(job: TranscriptionJob, error: unknown): Promise<void> {
    const { store, uploads, onEvent } = this.#deps;
    const { code, message } = toFailure(error);
    const isHopeful = code !== 'internal' && ERRORS[code].retryable;
    if (isHopeful && job.attempts < ATTEMPTS_MAX) {
      await store.release(job.id, { notBeforeMs: Date.now() + RETRY_AFTER_MS, isAttempt: true });
      return;
    }
    onEvent('a transcription job failed', { id: job.id, code, ...(code === 'internal' && { err: error }) });
    await store.finish(job.id, { status: 'failed', failure: { code, message } }, Date.now());
    await uploads.discard(job.id);
  }

  /** Forgets old jobs, and recordings that no job needs. */
  async #clean(): Promise<void> {
    const { store, uploads, settings } = this.#deps;
    for (const id of await store.removeEndedBefore(Date.now() - settings.retentionMs))
      await uploads.discard(id);
    for (const { name, keptAtMs } of await uploads.kept()) {
      const job = await store.find(name);
      const isOrphan = job === undefined && keptAtMs < Date.now() - ORPHAN_AFTER_MS;
      if (isOrphan || job?.finishedAtMs !== undefined) await uploads.discard(name);
    }
  }

  #quietly(work: () => Promise<void>): void {
    work().catch((error: unknown) =>
      this.#deps.onEvent('transcription jobs: storage failed', { err: error }),
    );
  }
}

function toPartial(job: TranscriptionJob, segments: Transcript['segments']): Transcript {
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
