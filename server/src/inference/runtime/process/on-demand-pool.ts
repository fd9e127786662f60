import { WorkerLostError } from '../../../domain/engines/worker-lost-error.ts';
import { ApiError } from '../../../errors.ts';
import type { WorkerSettings } from './messages.ts';
import { SlotQueue } from './slot-queue.ts';
import {
  DEFAULT_POLICY,
  type SupervisionEvent,
  type SupervisionPolicy,
  Supervisor,
  type WorkerStatus,
} from './supervisor.ts';
import { WorkerProcess } from './worker-process.ts';

const RETRY_AFTER_SECONDS = 5;
/** Who steps back for others may get no turn for long, without being stuck. */
const PING_TIMEOUT_MS = 120_000;

export interface OnDemandOptions<Job> {
  readonly count: number;
  readonly settings: WorkerSettings;
  readonly policy: Pick<SupervisionPolicy, 'startTimeoutMs' | 'memoryMaxBytes'> & Partial<SupervisionPolicy>;
  /** How long a job waits for a worker when none is ready. */
  readonly waitForWorkerMs: number;
  /** Workers end after this time without a job, and start again with the next one; 0 keeps them. */
  readonly idleMs: number;
  /** Brings what a job needs before it is given to a worker. */
  readonly prepare: (job: Job, signal: AbortSignal) => Promise<void>;
  readonly onEvent: SupervisionEvent;
}

/** What the processes of a pool are. */
export interface WorkerKind {
  /** The program they run. */
  readonly entry: string;
  /** How much they step back for others, from 0 (not at all) to 19. */
  readonly niceness: number;
  /** What they are called where people read it: "that hears". */
  readonly title: string;
}

/** Worker processes that start with their first job and end when there is nothing to do for a while. */
export class OnDemandPool<Job, Event, Input = never> {
  readonly #kind: WorkerKind;
  readonly #options: OnDemandOptions<Job>;
  readonly #waiting = new SlotQueue();
  #supervisors: readonly Supervisor<WorkerProcess<Job, Event, Input>>[] = [];
  #openJobs = 0;
  #idleTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(kind: WorkerKind, options: OnDemandOptions<Job>) {
    this.#kind = kind;
    this.#options = options;
  }

  /**
   * Does a job, feeding it as it goes. Leaving the loop, or aborting, stops it. Throws `engine_unavailable`
   * when no process is ready in time and `engine_failed` when one died with the job in its hands.
   */
  async *run(
    job: Job,
    options: { readonly signal: AbortSignal; readonly input?: AsyncIterable<Input> | undefined },
  ): AsyncGenerator<Event> {
    this.#begin();
    try {
      await this.#options.prepare(job, options.signal);
      const worker = await this.#waitForWorker(options.signal);
      yield* worker.run(job, options);
    } catch (error) {
      if (!(error instanceof WorkerLostError)) throw error;
      throw new ApiError('engine_failed', `The process ${this.#kind.title} was lost. Try again.`, {
        cause: error,
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    } finally {
      this.#end();
    }
  }

  /** Starts the processes before the first job needs them. */
  start(): void {
    if (this.#isClosed || this.#supervisors.length > 0) return;
    const { count, settings, policy, onEvent } = this.#options;
    const { entry, niceness, title } = this.#kind;
    const { startTimeoutMs } = policy;
    this.#supervisors = Array.from(
      { length: count },
      () =>
        new Supervisor({
          startProcess: () =>
            WorkerProcess.start<Job, Event, Input>({ entry, settings, startTimeoutMs, niceness }),
          policy: { ...DEFAULT_POLICY, pingTimeoutMs: PING_TIMEOUT_MS, ...policy },
          warmEngines: [],
          onEvent: (event, facts) => onEvent(event, { ...facts, kind: title }),
          onReady: () => this.#waiting.wake(),
        }),
    );
  }

  status(): readonly WorkerStatus[] {
    return this.#supervisors.map((supervisor) => supervisor.status());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    await this.#stopAll();
  }

  #begin(): void {
    this.#openJobs++;
    clearTimeout(this.#idleTimer);
    this.start();
  }

  #end(): void {
    this.#openJobs--;
    if (this.#openJobs > 0 || this.#isClosed || this.#options.idleMs === 0) return;
    this.#idleTimer = setTimeout(() => void this.#stopAll(), this.#options.idleMs);
    this.#idleTimer.unref();
  }

  async #stopAll(): Promise<void> {
    const supervisors = this.#supervisors;
    this.#supervisors = [];
    await Promise.all(supervisors.map((supervisor) => supervisor.stop()));
  }

  #leastBusy(): WorkerProcess<Job, Event, Input> | undefined {
    let best: WorkerProcess<Job, Event, Input> | undefined;
    for (const { worker } of this.#supervisors) {
      if (worker && (best === undefined || worker.pendingRequests < best.pendingRequests)) best = worker;
    }
    return best;
  }

  async #waitForWorker(signal: AbortSignal): Promise<WorkerProcess<Job, Event, Input>> {
    const timeoutMs = this.#options.waitForWorkerMs;
    const worker = await this.#waiting.wait(() => this.#leastBusy(), { signal, timeoutMs });
    if (worker !== undefined) return worker;
    signal.throwIfAborted();
    throw new ApiError(
      'engine_unavailable',
      `No process ${this.#kind.title} is ready. Try again in a few seconds.`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    );
  }
}
