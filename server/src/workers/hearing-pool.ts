import { fileURLToPath } from 'node:url';
import { ApiError } from '../errors.ts';
import type { HearingEvent, HearingInput, HearingJob, HearingWorkers } from '../hearing/hearing-job.ts';
import { WorkerLostError } from '../speech/workers.ts';
import type { WorkerSettings } from './messages.ts';
import {
  DEFAULT_POLICY,
  type SupervisionEvent,
  type SupervisionPolicy,
  Supervisor,
  type WorkerStatus,
} from './supervisor.ts';
import { WaitingRoom } from './waiting-room.ts';
import { WorkerProcess } from './worker-process.ts';

type HearingProcess = WorkerProcess<HearingJob, HearingEvent, HearingInput>;

const ENTRY = fileURLToPath(new URL('./hearing-main.js', import.meta.url));
/** People who listen to speech notice every pause; nobody notices that a transcript comes a little later. */
const NICENESS = 10;
const RETRY_AFTER_SECONDS = 5;

export interface HearingPoolOptions {
  readonly count: number;
  readonly settings: WorkerSettings;
  readonly policy: Pick<SupervisionPolicy, 'startTimeoutMs' | 'memoryMaxBytes'> & Partial<SupervisionPolicy>;
  /** How long a job waits for a worker when none is ready. */
  readonly waitForWorkerMs: number;
  /** Workers end after this time without a job, and start again with the next one; 0 keeps them. */
  readonly idleMs: number;
  /** Brings what a job needs before it is given to a worker. */
  readonly prepare: (job: HearingJob, signal: AbortSignal) => Promise<void>;
  readonly onEvent: SupervisionEvent;
}

/** All worker processes that hear. They start with the first job, at a lower priority than those that speak. */
export class HearingPool implements HearingWorkers {
  readonly #options: HearingPoolOptions;
  readonly #waiting = new WaitingRoom();
  #supervisors: readonly Supervisor<HearingProcess>[] = [];
  #openJobs = 0;
  #idleTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: HearingPoolOptions) {
    this.#options = options;
  }

  async *hear(
    job: HearingJob,
    options: { readonly signal: AbortSignal; readonly input?: AsyncIterable<HearingInput> | undefined },
  ): AsyncGenerator<HearingEvent> {
    this.#begin();
    try {
      await this.#options.prepare(job, options.signal);
      const worker = await this.#waitForWorker(options.signal);
      yield* worker.run(job, options);
    } catch (error) {
      if (!(error instanceof WorkerLostError)) throw error;
      throw new ApiError('engine_failed', 'The process that listened was lost. Try again.', {
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
    const { startTimeoutMs } = policy;
    this.#supervisors = Array.from(
      { length: count },
      () =>
        new Supervisor<HearingProcess>({
          startProcess: () =>
            WorkerProcess.start({ entry: ENTRY, settings, startTimeoutMs, niceness: NICENESS }),
          policy: { ...DEFAULT_POLICY, ...policy },
          warmEngines: [],
          onEvent: (event, facts) => onEvent(event, { ...facts, hears: true }),
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

  #leastBusy(): HearingProcess | undefined {
    let best: HearingProcess | undefined;
    for (const { worker } of this.#supervisors) {
      if (worker && (best === undefined || worker.pendingRequests < best.pendingRequests)) best = worker;
    }
    return best;
  }

  async #waitForWorker(signal: AbortSignal): Promise<HearingProcess> {
    const timeoutMs = this.#options.waitForWorkerMs;
    const worker = await this.#waiting.wait(() => this.#leastBusy(), { signal, timeoutMs });
    if (worker !== undefined) return worker;
    signal.throwIfAborted();
    throw new ApiError('engine_unavailable', 'No worker that hears is ready. Try again in a few seconds.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
}
