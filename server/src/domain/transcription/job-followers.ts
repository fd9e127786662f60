import { ApiError } from '../../errors.ts';
import type { JobStore, TranscriptionJob } from './job-store.ts';
import type { TranscriptSegment } from './transcription-service.ts';

/** A change of a followed job. */
export interface JobUpdate {
  readonly job: TranscriptionJob;
  /** The segments that the follower has not received yet. */
  readonly segments: readonly TranscriptSegment[];
}

export interface JobFollowersDeps {
  readonly store: Pick<JobStore, 'find' | 'segments'>;
  /** Maximum number of simultaneous followers per account; further ones are rejected with `too_many_connections`. */
  readonly perAccountMax: number;
  readonly pollEveryMs: number;
}

/** Followers of running jobs. All followers of a job share one poll of the store, which reads only new segments. */
export class JobFollowers {
  readonly #deps: JobFollowersDeps;
  readonly #watches = new Map<string, JobWatch>();
  readonly #counts = new Map<string, number>();

  constructor(deps: JobFollowersDeps) {
    this.#deps = deps;
  }

  /** Emits the segments so far and every later change, until the job has ended. */
  async *follow(accountId: string, id: string, signal: AbortSignal): AsyncGenerator<JobUpdate> {
    this.#enter(accountId);
    const watch = this.#watchOf(id);
    watch.followers += 1;
    try {
      let index = 0;
      for (let version = 0; ; ) {
        const state = await watch.next(version, signal);
        version = state.version;
        const segments =
          state.firstIndex <= index
            ? state.segments.slice(index - state.firstIndex)
            : await this.#deps.store.segments(id, index);
        index += segments.length;
        yield { job: state.job, segments };
        if (state.job.finishedAtMs !== undefined) return;
      }
    } finally {
      watch.followers -= 1;
      if (watch.followers === 0) {
        watch.stop();
        this.#watches.delete(id);
      }
      this.#leave(accountId);
    }
  }

  #watchOf(id: string): JobWatch {
    const watch = this.#watches.get(id) ?? new JobWatch(id, this.#deps);
    this.#watches.set(id, watch);
    return watch;
  }

  #enter(accountId: string): void {
    const count = this.#counts.get(accountId) ?? 0;
    if (count >= this.#deps.perAccountMax) {
      throw new ApiError('too_many_connections', 'This account follows too many jobs at the same time.', {
        retryAfterSeconds: 5,
      });
    }
    this.#counts.set(accountId, count + 1);
  }

  #leave(accountId: string): void {
    const count = this.#counts.get(accountId)! - 1;
    if (count === 0) this.#counts.delete(accountId);
    else this.#counts.set(accountId, count);
  }
}

/** The result of the last poll. */
interface WatchState {
  /** Increases with every change. */
  readonly version: number;
  readonly job: TranscriptionJob;
  /** Index of the first of `segments`, which are those that the last poll found. */
  readonly firstIndex: number;
  readonly segments: readonly TranscriptSegment[];
}

/** Polls one job while it has followers. */
class JobWatch {
  followers = 0;
  readonly #id: string;
  readonly #deps: JobFollowersDeps;
  readonly #waiting = new Set<() => void>();
  #state: WatchState | undefined;
  #failure: { readonly error: unknown } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(id: string, deps: JobFollowersDeps) {
    this.#id = id;
    this.#deps = deps;
    void this.#poll();
  }

  /** The state after `version`, now or when it changes. */
  async next(version: number, signal: AbortSignal): Promise<WatchState> {
    for (;;) {
      signal.throwIfAborted();
      if (this.#failure !== undefined) throw this.#failure.error;
      if (this.#state !== undefined && this.#state.version > version) return this.#state;
      await this.#change(signal);
    }
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }

  async #poll(): Promise<void> {
    try {
      await this.#read();
    } catch (error) {
      this.#failure = { error };
      this.#wakeAll();
    }
    const isOver = this.#failure !== undefined || this.#state?.job.finishedAtMs !== undefined;
    if (!isOver && !this.#isStopped) {
      this.#timer = setTimeout(() => void this.#poll(), this.#deps.pollEveryMs);
    }
  }

  async #read(): Promise<void> {
    const { store } = this.#deps;
    const before = this.#state;
    // The job first: segments are stored before the progress and the end that cover them.
    const job = await store.find(this.#id);
    if (job === undefined) throw new ApiError('job_not_found', 'No transcription job has this id.');
    const firstIndex = before === undefined ? 0 : before.firstIndex + before.segments.length;
    const segments = await store.segments(this.#id, firstIndex);
    if (before !== undefined && segments.length === 0 && isSameState(before.job, job)) return;
    this.#state = { version: (before?.version ?? 0) + 1, job, firstIndex, segments };
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const wake of [...this.#waiting]) wake();
  }
}

function isSameState(one: TranscriptionJob, two: TranscriptionJob): boolean {
  return (
    one.status === two.status &&
    one.processedSeconds === two.processedSeconds &&
    one.fraction === two.fraction &&
    one.finishedAtMs === two.finishedAtMs
  );
}
