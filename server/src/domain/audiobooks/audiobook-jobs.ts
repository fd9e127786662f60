import { randomBytes, randomInt } from 'node:crypto';
import { FFMPEG_MISSING, hasFfmpeg } from '../../audio/encode/m4b-encoder.ts';
import type { Book, BookFormat } from '../../books/book.ts';
import { type BookSource, readBook } from '../../books/read-book.ts';
import { ApiError, ERRORS, type ErrorCode } from '../../errors.ts';
import type { Caller } from '../accounts/caller.ts';
import { JobLoop } from '../jobs/job-loop.ts';
import {
  ATTEMPTS_MAX,
  type JobFailure,
  type JobQueueSettings,
  LOST_PROCESSES_MAX,
  RETRY_AFTER_MS,
  requireRoom,
  toFailure,
} from '../jobs/job-queue.ts';
import { chapterMarks } from './assemble-audiobook.ts';
import type { CaptionExtension } from './audiobook-files.ts';
import type { AudiobookJob, AudiobookOptions, ClaimedAudiobook, SpokenSection } from './audiobook-job.ts';
import { AudiobookRunner, type AudiobookRunnerDeps } from './audiobook-runner.ts';
import { type PlannedChapter, planChapters } from './plan-sections.ts';

export interface AudiobookSettings extends JobQueueSettings {
  /** Maximum length of a book, in characters. */
  readonly maxChars: number;
}

export interface AudiobookDeps extends AudiobookRunnerDeps {
  readonly settings: AudiobookSettings;
  /** Reports an event for the log. The facts contain no text and no audio. */
  readonly onEvent: (event: string, facts: Record<string, unknown>) => void;
}

export interface AudiobookRequest {
  readonly caller: Caller;
  readonly source: BookSource;
  /** Undefined: detected. */
  readonly format: BookFormat | undefined;
  /** Title, author and language replace those of the book. Without a seed, a random one is used. */
  readonly options: Omit<AudiobookOptions, 'seed'> & { readonly seed: number | undefined };
  /** Given when the submission may be repeated; otherwise random. */
  readonly id?: string | undefined;
}

/** A job with the sections that are spoken. */
export interface AudiobookState {
  readonly job: AudiobookJob;
  readonly sections: readonly SpokenSection[];
}

/** Wait of a job for a busy server, and for a disk that is full or read-only. These are no attempts of the job. */
const RETRY_AFTER_MS_BY_CODE: Partial<Record<ErrorCode, number>> = {
  queue_full: 10_000,
  storage_unavailable: 30_000,
};
const LIST_MAX = 100;
const SEED_MAX = 2 ** 31;
/** Errors after which a job waits for its owner, who can resume it. */
const PAUSING: readonly string[] = ['insufficient_balance', 'spend_cap_reached'];

/** Speaks books in the background. Sections are stored, so a restart continues without repeating or charging them. */
export class AudiobookJobs {
  readonly #deps: AudiobookDeps;
  readonly #runner: AudiobookRunner;
  readonly #loop: JobLoop<ClaimedAudiobook>;

  constructor(deps: AudiobookDeps) {
    this.#deps = deps;
    this.#runner = new AudiobookRunner(deps);
    const { store, settings, onEvent } = deps;
    this.#loop = new JobLoop({
      name: 'audiobooks',
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

  /** Reads a book, queues a job for it and returns the job. */
  async submit(request: AudiobookRequest): Promise<AudiobookState> {
    const { store, settings, files } = this.#deps;
    const { caller } = request;
    requireRoom(await store.countOpen(caller.accountId), settings, 'audiobooks');
    await this.#requireOutput(request);
    const book = await readBook(request.source, request.format, settings);
    const chapters = await planChapters(book.chapters);
    assertChapterNumbers(request.options, chapters.length);
    const id = request.id ?? `book_${randomBytes(12).toString('hex')}`;
    // The texts first: a job that can be claimed has all of them.
    if ((await store.find(id)) === undefined) await files.writeChapters(id, chapters);
    await store.add({
      id,
      caller,
      options: withBookFacts(request.options, book),
      chapters: chapters.map(summaryOf),
      createdAtMs: Date.now(),
    });
    this.#loop.wake();
    return this.find(caller.accountId, id);
  }

  /** A job of the account. A job of another account is `job_not_found`. */
  async find(accountId: string, id: string): Promise<AudiobookState> {
    const job = await this.#require(accountId, id);
    return { job, sections: await this.#deps.store.sections(id) };
  }

  /** The newest jobs of an account. */
  list(accountId: string): AsyncIterable<AudiobookJob> {
    return this.#deps.store.list(accountId, LIST_MAX);
  }

  async pause(accountId: string, id: string): Promise<AudiobookState> {
    const job = await this.#require(accountId, id);
    if (job.status !== 'paused' && !(await this.#deps.store.pause(id)))
      throw createJobStateError('The job has ended.');
    void this.#loop.abort(id, createStoppedError());
    return this.find(accountId, id);
  }

  /** Continues a paused or failed job. */
  async resume(accountId: string, id: string): Promise<AudiobookState> {
    const job = await this.#require(accountId, id);
    const isOpen = job.status === 'queued' || job.status === 'running';
    if (!isOpen && !(await this.#deps.store.resume(id))) throw createJobStateError('The job is finished.');
    this.#loop.wake();
    return this.find(accountId, id);
  }

  /** Deletes a job in any state, with its audio. */
  async remove(accountId: string, id: string): Promise<void> {
    await this.#require(accountId, id);
    await this.#delete(id);
  }

  async deleteAccount(accountId: string): Promise<void> {
    for (const id of await this.#deps.store.idsOf(accountId)) await this.#delete(id);
  }

  /** The path of the audio file on disk. Throws `job_state` until the job is finished. */
  async audioPath(
    accountId: string,
    id: string,
  ): Promise<{ readonly path: string; readonly job: AudiobookJob }> {
    const job = await this.#requireFinished(accountId, id);
    const path = await this.#deps.files.locate(id, `audio.${job.options.format}`);
    if (path === undefined) throw createJobNotFoundError();
    return { path, job };
  }

  /** The path of the captions on disk. Throws `job_state` until the job is finished. */
  async captionsPath(accountId: string, id: string, extension: CaptionExtension): Promise<string> {
    await this.#requireFinished(accountId, id);
    const path = await this.#deps.files.locate(id, `captions.${extension}`);
    if (path === undefined) throw createJobNotFoundError();
    return path;
  }

  /** Stops the work on a job that another server has deleted, and removes its files. */
  async refresh(id: string): Promise<void> {
    if ((await this.#deps.store.find(id)) !== undefined) return;
    await this.#loop.abort(id, createStoppedError());
    await this.#deps.files.forget(id);
  }

  /** Removes copies of files that other servers have removed. */
  forgetRemoved(): Promise<void> {
    return this.#deps.files.forgetRemoved();
  }

  /** Stops all running jobs. Their sections are stored; the next process continues from there. */
  close(): Promise<void> {
    return this.#loop.close();
  }

  /** Refuses what would fail after hours of work: an unknown voice, a dictionary with errors, a missing encoder. */
  async #requireOutput({ caller: { accountId }, options }: AudiobookRequest): Promise<void> {
    const { voices, dictionaries, ffmpegPath } = this.#deps;
    if (options.format === 'm4b' && !(await hasFfmpeg(ffmpegPath)))
      throw new ApiError('not_supported', FFMPEG_MISSING);
    for (const { voice, dictionaries: references } of [options, ...Object.values(options.chapters)]) {
      await voices.resolve({ accountId, named: voice, recordings: [], isPerSpeaker: false });
      await dictionaries.resolve(accountId, references ?? []);
    }
  }

  async #require(accountId: string, id: string): Promise<AudiobookJob> {
    const job = await this.#deps.store.find(id);
    if (job === undefined || job.caller.accountId !== accountId) throw createJobNotFoundError();
    return job;
  }

  async #requireFinished(accountId: string, id: string): Promise<AudiobookJob> {
    const job = await this.#require(accountId, id);
    if (job.status !== 'finished') throw createJobStateError('The audio is not complete.');
    return job;
  }

  async #run(job: ClaimedAudiobook, abort: AbortController): Promise<void> {
    const { store, files, settings } = this.#deps;
    if (job.attempts > LOST_PROCESSES_MAX) return this.#giveUp(job);
    const stopRenewal = this.#loop.keepLease(() => store.renew(job.lease, settings.leaseMs), abort);
    try {
      await this.#runner.run(job, abort);
      if (await store.end(job.lease, { status: 'finished' }, Date.now())) await files.removeParts(job.id);
    } catch (error) {
      await this.#handleFailure(job, error);
    } finally {
      stopRenewal();
    }
    // Another server may have deleted the job while this one wrote its files.
    if ((await store.find(job.id)) === undefined) await files.remove(job.id);
  }

  async #giveUp(job: ClaimedAudiobook): Promise<void> {
    const message = `${job.attempts - 1} server processes ended while they spoke this book.`;
    await this.#end(job, 'failed', { code: 'text_not_synthesizable', message });
  }

  /** A write with a lost lease has no effect: the job was paused or removed, or another process works on it. */
  async #handleFailure(job: ClaimedAudiobook, error: unknown): Promise<void> {
    const { store } = this.#deps;
    if (this.#loop.isClosed) {
      await store.release(job.lease, { delayMs: 0, isAttempt: false });
      return;
    }
    const failure = toFailure(error);
    if (PAUSING.includes(failure.code)) return this.#end(job, 'paused', failure);
    const waitMs = RETRY_AFTER_MS_BY_CODE[failure.code];
    if (waitMs !== undefined) {
      await store.release(job.lease, { delayMs: waitMs, isAttempt: false });
      if (failure.code === 'storage_unavailable')
        this.#deps.onEvent('an audiobook job waits for the storage', { id: job.id, err: error });
      return;
    }
    const isRetryable = failure.code !== 'internal' && ERRORS[failure.code].retryable;
    if (isRetryable && job.attempts < ATTEMPTS_MAX) {
      await store.release(job.lease, { delayMs: RETRY_AFTER_MS, isAttempt: true });
      return;
    }
    await this.#end(job, 'failed', failure, error);
  }

  async #end(
    job: ClaimedAudiobook,
    status: 'failed' | 'paused',
    failure: JobFailure,
    error?: unknown,
  ): Promise<void> {
    const { store, onEvent } = this.#deps;
    if (!(await store.end(job.lease, { status, failure }, Date.now()))) return;
    const { code } = failure;
    onEvent(`an audiobook job ${status === 'failed' ? 'failed' : 'was paused'}`, {
      id: job.id,
      code,
      ...(code === 'internal' && { err: error }),
    });
  }

  async #delete(id: string): Promise<void> {
    const { store, files } = this.#deps;
    // The files of a job that was interrupted here are removed by its row, so the row is the last.
    await store.pause(id);
    await this.#loop.abort(id, createStoppedError());
    await files.remove(id);
    await store.remove(id);
  }

  /** Deletes expired jobs with their audio. */
  async #clean(): Promise<void> {
    const { store, settings } = this.#deps;
    for (const id of await store.endedBefore(Date.now() - settings.retentionMs)) await this.#delete(id);
  }
}

/** Progress from 0 to 1. The last hundredth is the assembly of the audio file. */
export function progressOf({ status, chapters, sectionsSpoken }: AudiobookJob): number {
  if (status === 'finished') return 1;
  const total = chapters.reduce((sum, { sections }) => sum + sections, 0);
  return (0.99 * sectionsSpoken) / Math.max(1, total);
}

/** The chapters of a finished job with their times; undefined before. */
export function marksOf({ job, sections }: AudiobookState) {
  return job.status === 'finished' ? chapterMarks(job, sections) : undefined;
}

function summaryOf({ title, sections }: PlannedChapter) {
  return {
    title,
    characters: sections.reduce((sum, { text }) => sum + text.length, 0),
    sections: sections.length,
  };
}

function withBookFacts(options: AudiobookRequest['options'], book: Book): AudiobookOptions {
  return {
    ...options,
    title: options.title ?? book.title,
    author: options.author ?? book.author,
    seed: options.seed ?? randomInt(SEED_MAX),
  };
}

function assertChapterNumbers({ chapters }: Pick<AudiobookOptions, 'chapters'>, count: number): void {
  const unknown = Object.keys(chapters).find((number) => Number(number) > count);
  if (unknown === undefined) return;
  throw new ApiError(
    'invalid_request',
    `\`chapters\`: the book has ${count} chapters, but no chapter ${unknown}.`,
  );
}

function createJobNotFoundError(): ApiError {
  return new ApiError('job_not_found', 'No audiobook job has this id.');
}

function createStoppedError(): Error {
  return new Error('The job was paused or removed.');
}

function createJobStateError(message: string): ApiError {
  return new ApiError('job_state', message);
}
