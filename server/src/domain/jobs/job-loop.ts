const POLL_EVERY_MS = 1_000;
const CLEAN_EVERY_MS = 600_000;

export interface JobLoopDeps<Job extends { readonly id: string }> {
  /** Name of the jobs for the log. */
  readonly name: string;
  /** Maximum number of jobs that run at the same time. */
  readonly concurrency: number;
  /** Lease duration. */
  readonly leaseMs: number;
  /** Claims the next job; undefined when there is none. */
  readonly claim: (leaseMs: number) => Promise<Job | undefined>;
  /** Runs a claimed job to its end. `abort` ends all work of the job. */
  readonly run: (job: Job, abort: AbortController) => Promise<void>;
  /** Removes expired jobs. */
  readonly clean: () => Promise<void>;
  /** Reports an event for the log. The facts contain no text and no audio. */
  readonly onEvent: (event: string, facts: Record<string, unknown>) => void;
}

interface RunningJob {
  readonly id: string;
  readonly abort: AbortController;
  readonly done: Promise<void>;
}

/** Claims jobs and runs them, a number of them at the same time. */
export class JobLoop<Job extends { readonly id: string }> {
  readonly #deps: JobLoopDeps<Job>;
  readonly #running = new Set<RunningJob>();
  readonly #timers: NodeJS.Timeout[] = [];
  #isClosed = false;
  #isPolling = false;

  constructor(deps: JobLoopDeps<Job>) {
    this.#deps = deps;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Starts to process queued jobs. */
  start(): void {
    const every = (ms: number, work: () => Promise<void>) =>
      this.#timers.push(setInterval(() => this.#runInBackground(work), ms).unref());
    every(POLL_EVERY_MS, () => this.#poll());
    every(CLEAN_EVERY_MS, this.#deps.clean);
    this.#runInBackground(this.#deps.clean);
    this.wake();
  }

  /** Looks for a job now. */
  wake(): void {
    this.#runInBackground(() => this.#poll());
  }

  /** Aborts the work of this process on a job, and resolves when it has ended. */
  async abort(id: string, reason: Error): Promise<void> {
    const running = [...this.#running].filter((job) => job.id === id);
    for (const { abort } of running) abort.abort(reason);
    await Promise.all(running.map(({ done }) => done));
  }

  /** Renews the lease of a job until the returned function is called. A lost lease aborts the job. */
  keepLease(renew: () => Promise<boolean>, abort: AbortController): () => void {
    const work = async () => abortUnlessOwned(await renew(), abort);
    const timer = setInterval(() => this.#runInBackground(work), this.#deps.leaseMs / 3);
    return () => clearInterval(timer);
  }

  /** Stops all running jobs. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers) clearInterval(timer);
    for (const { abort } of this.#running) abort.abort(new Error('The server is stopping.'));
    await Promise.all([...this.#running].map(({ done }) => done));
  }

  async #poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    try {
      while (!this.#isClosed && this.#running.size < this.#deps.concurrency) {
        const job = await this.#deps.claim(this.#deps.leaseMs);
        if (job === undefined) return;
        this.#begin(job);
      }
    } finally {
      this.#isPolling = false;
    }
  }

  #begin(job: Job): void {
    const { name, onEvent } = this.#deps;
    const abort = new AbortController();
    const done = this.#deps
      .run(job, abort)
      .catch((error: unknown) => onEvent(`${name}: a job was lost`, { id: job.id, err: error }))
      .finally(() => {
        this.#running.delete(running);
        this.wake();
      });
    const running: RunningJob = { id: job.id, abort, done };
    this.#running.add(running);
  }

  #runInBackground(work: () => Promise<void>): void {
    const { name, onEvent } = this.#deps;
    work().catch((error: unknown) => onEvent(`${name}: storage failed`, { err: error }));
  }
}

/** Stops the work on a job whose lease was lost: another process works on it, or it was cancelled or deleted. */
export function abortUnlessOwned(isOwned: boolean, abort: AbortController): void {
  if (!isOwned) abort.abort(new Error('The lease on the job was lost.'));
}
