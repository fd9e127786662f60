import { randomBytes } from 'node:crypto';
import { ApiError, ERRORS } from '../../errors.ts';
import type { Caller } from '../accounts/caller.ts';
import type { TranscriptionCharge } from '../accounts/metering/transcription-charge.ts';
import { abortUnlessOwned, JobLoop } from '../jobs/job-loop.ts';
import {
  ATTEMPTS_MAX,
  type JobQueueSettings,
  LOST_PROCESSES_MAX,
  RETRY_AFTER_MS,
  requireRoom,
  toFailure,
} from '../jobs/job-queue.ts';
import { JobFollowers, type JobUpdate } from './job-followers.ts';
import type { ClaimedJob, JobStore, TranscriptionJob, TranscriptView } from './job-store.ts';
import { TranscribedAudio } from './transcribed-audio.ts';
import { mainLanguage, transcriptText } from './transcript-text.ts';
import type {
  ResumePoint,
  Transcript,
  TranscriptionOptions,
  TranscriptionService,
} from './transcription-service.ts';
import type { LocalRecording, Upload, UploadStore } from './upload-store.ts';

export interface JobSettings extends JobQueueSettings {
  /** Maximum number of followers of an account at the same time. */
  readonly followersMax: number;
}

export interface JobDeps {
  readonly store: JobStore;
  readonly service: Pick<TranscriptionService, 'transcribe'>;
  readonly uploads: UploadStore;
  readonly settings: JobSettings;
  /** Opens the charge of a job for the work of this process. Charges of earlier processes are deducted. */
  readonly openCharge: (job: ClaimedJob) => Promise<Pick<TranscriptionCharge, 'hold' | 'settle'>>;
  /** Reports an event for the log. The facts contain no text and no audio. */
  readonly onEvent: (event: string, facts: Record<string, unknown>) => void;
}

/** A job with its transcript: complete when the job is finished, partial while it runs. */
export interface JobWithResult {
  readonly job: TranscriptionJob;
  readonly transcript: Transcript;
}

/** A recording to transcribe in the background. */
export interface TranscriptionSubmission {
  readonly caller: Caller;
  readonly upload: Upload;
  readonly options: TranscriptionOptions;
  readonly view: TranscriptView;
  /** Given when the submission may be repeated; otherwise random. */
  readonly id?: string | undefined;
}

/** Interval at which a followed job is read. */
const FOLLOW_EVERY_MS = 500;
/** Age at which a stored recording without a job counts as orphaned. A younger one may belong to a submission in progress. */
const ORPHAN_AFTER_MS = 3_600_000;

/** Transcribes recordings in the background. Segments are stored, so a restart continues without repeating work. */
export class TranscriptionJobs {
  readonly #deps: JobDeps;
  readonly #followers: JobFollowers;
  readonly #loop: JobLoop<ClaimedJob>;

  constructor(deps: JobDeps) {
    this.#deps = deps;
    const { store, settings, onEvent } = deps;
    const options = { perAccountMax: settings.followersMax, pollEveryMs: FOLLOW_EVERY_MS };
    this.#followers = new JobFollowers({ store, ...options });
    this.#loop = new JobLoop({
      name: 'transcription jobs',
      concurrency: settings.concurrency,
      leaseMs: settings.leaseMs,
      claim: (leaseMs) => store.claim(leaseMs),
      run: (job, abort) => this.#run(job, abort),
      clean: () => this.#clean(),
      onEvent,
    });
  }

  /** Starts to process queued jobs. */
  start(): void {
    this.#loop.start();
  }

  /** Stores a recording, queues a job for it and returns the id of the job. */
  async submit(request: TranscriptionSubmission): Promise<string> {
    const { store, settings } = this.#deps;
    requireRoom(await store.countOpen(request.caller.accountId), settings, 'transcription jobs');
    const id = request.id ?? `asr_${randomBytes(12).toString('hex')}`;
    await request.upload.store(id);
    const { caller, options, view } = request;
    await store.add({ id, caller, options, view, createdAtMs: Date.now() });
    this.#loop.wake();
    return id;
  }

  /** A job of the account with its result so far. A job of another account is `job_not_found`. */
  async find(accountId: string, id: string): Promise<JobWithResult> {
    const { store } = this.#deps;
    const job = await this.#require(accountId, id);
    const transcript = (await store.transcript(id)) ?? partialTranscript(job, await store.segments(id));
    return { job, transcript };
  }

  /** The segments of a job so far, then its changes until it has ended. */
  async *follow(accountId: string, id: string, signal: AbortSignal): AsyncGenerator<JobUpdate> {
    await this.#require(accountId, id);
    yield* this.#followers.follow(accountId, id, signal);
  }

  /** Cancels a queued or running job and deletes its recording. The result so far remains available. */
  async cancel(accountId: string, id: string): Promise<JobWithResult> {
    await this.find(accountId, id);
    const { store, settings, uploads } = this.#deps;
    // The process that works on the job charges its text. Without one, because it has died, this process does.
    const unowned = await store.claimById(id, settings.leaseMs);
    await store.cancel(id, Date.now());
    void this.#loop.abort(id, new Error('The job was cancelled.'));
    if (unowned !== undefined) await this.#chargeStoredText(unowned);
    await uploads.discard(id);
    return this.find(accountId, id);
  }

  /** Stops all running jobs. Their segments are stored; the next process continues from there. */
  close(): Promise<void> {
    return this.#loop.close();
  }

  async #require(accountId: string, id: string): Promise<TranscriptionJob> {
    const job = await this.#deps.store.find(id);
    if (job === undefined || job.caller.accountId !== accountId) throw createJobNotFoundError();
    return job;
  }

  async #run(job: ClaimedJob, abort: AbortController): Promise<void> {
    if (job.attempts > LOST_PROCESSES_MAX) return this.#giveUp(job);
    const { store, service, uploads, settings } = this.#deps;
    const { id, options, lease } = job;
    const resume = await this.#resumePoint(job);
    const transcribed = new TranscribedAudio(resume.processedSeconds, channelsOf(resume));
    const charge = await this.#deps.openCharge(job);
    let progress = { processedSeconds: resume.processedSeconds, fraction: job.fraction };
    const renew = () => store.renew(lease, progress, settings.leaseMs);
    const stopRenewal = this.#loop.keepLease(renew, abort);
    let recording: LocalRecording | undefined;
    try {
      let index = resume.segments.length;
      // The text of an earlier process that died is available, but not charged.
      await charge.hold(...transcribed.position);
      const { accountId } = job.caller;
      recording = await uploads.openLocal(id);
      const request = { ...options, accountId, path: recording.path, resume, isJob: true };
      for await (const event of service.transcribe(request, abort.signal)) {
        await charge.hold(...transcribed.add(event));
        if (event.type === 'segment') {
          abortUnlessOwned(await store.addSegment(lease, index++, event.segment), abort);
        } else if (event.type === 'progress') {
          progress = event;
          abortUnlessOwned(await renew(), abort);
        } else {
          abortUnlessOwned(await renew(), abort);
          abort.signal.throwIfAborted();
          await charge.settle(...transcribed.position);
          const outcome = { status: 'finished', transcript: event.transcript } as const;
          abortUnlessOwned(await store.finish(lease, outcome, Date.now()), abort);
        }
        abort.signal.throwIfAborted();
      }
      await uploads.discard(id);
    } catch (error) {
      // Every end is charged: the text of the transcribed audio is available. Settled once, and while the lease is held.
      await charge.settle(...transcribed.position);
      if (!abort.signal.aborted) await this.#fail(job, error);
      // No effect on a job that was cancelled or that another process has claimed.
      else await store.release(lease, { delayMs: 0, isAttempt: false });
    } finally {
      stopRenewal();
      await recording?.release();
    }
  }

  /** Fails a job whose recording may be what ends every process that works on it. */
  async #giveUp(job: ClaimedJob): Promise<void> {
    await this.#chargeStoredText(job);
    await this.#fail(
      job,
      new ApiError(
        'audio_not_transcribable',
        `${job.attempts - 1} server processes ended while they transcribed this recording.`,
      ),
    );
  }

  /** Charges the audio of the segments that earlier owners have stored. */
  async #chargeStoredText(job: ClaimedJob): Promise<void> {
    const segments = await this.#deps.store.segments(job.id);
    const transcribed = new TranscribedAudio(job.processedSeconds, channelsOf({ ...job, segments }));
    for (const segment of segments) transcribed.add({ type: 'segment', segment });
    const charge = await this.#deps.openCharge(job);
    await charge.settle(...transcribed.position);
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

  async #fail(job: ClaimedJob, error: unknown): Promise<void> {
    const { store, uploads, onEvent } = this.#deps;
    const { code, message } = toFailure(error);
    const isRetryable = code !== 'internal' && ERRORS[code].retryable;
    if (isRetryable && job.attempts < ATTEMPTS_MAX) {
      await store.release(job.lease, { delayMs: RETRY_AFTER_MS, isAttempt: true });
      return;
    }
    const failed = { status: 'failed', failure: { code, message } } as const;
    if (!(await store.finish(job.lease, failed, Date.now()))) return;
    onEvent('a transcription job failed', {
      id: job.id,
      code,
      ...((code === 'internal' || code === 'storage_unavailable') && { err: error }),
    });
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
}

/** The number of channels of the stored segments. */
function channelsOf({ segments }: ResumePoint): number {
  return segments.reduce((count, { channel = 0 }) => Math.max(count, channel + 1), 1);
}

function createJobNotFoundError(): ApiError {
  return new ApiError('job_not_found', 'No transcription job has this id.');
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
