import { WorkerLostError } from '../../../domain/engines/worker-lost-error.ts';
import { ApiError } from '../../../errors.ts';
import { startSpan } from '../../../tracing/tracing.ts';
import type { ServerFfmpegSlots } from './ffmpeg-slots.ts';
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
/** Long, since a process with positive niceness may not be scheduled for a long time on a busy machine. */
const PING_TIMEOUT_MS = 120_000;

export interface OnDemandOptions<Job> {
  readonly count: number;
  readonly settings: WorkerSettings;
  readonly policy: Pick<SupervisionPolicy, 'startTimeoutMs' | 'memoryMaxBytes'> & Partial<SupervisionPolicy>;
  /** Maximum wait of a job for a ready worker. */
  readonly waitForWorkerMs: number;
  /** Idle time after which the workers exit, until the next job; 0 disables that. */
  readonly idleMs: number;
  /** Installs the models that a job needs, before a worker runs it. */
  readonly prepare: (job: Job, signal: AbortSignal) => Promise<void>;
  /** The FFmpeg slots of the server. Absent: no limit. */
  readonly ffmpegSlots?: ServerFfmpegSlots | undefined;
  readonly onEvent: SupervisionEvent;
  /** Called when a process has ended and is to be replaced. */
  readonly onRestart?: (() => void) | undefined;
  /** Called at the end of each job with the time since its request. */
  readonly onJobEnd?: ((job: Job, seconds: number) => void) | undefined;
}

/** The type of the processes of a pool. */
export interface WorkerKind {
  /** Path of the entry module. */
  readonly entry: string;
  /** Process niceness in addition to that of the server, 0 to 19. */
  readonly niceness: number;
  /** Display name for logs and error messages. */
  readonly displayName: string;
}

/** Worker processes that start with the first job and exit when idle. */
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
   * Runs a job and sends it its input. Leaving the loop or aborting the signal cancels it. Throws
   * `engine_unavailable` when no process is ready in time and `engine_failed` when its process died.
   */
  async *run(
    job: Job,
    options: { readonly signal: AbortSignal; readonly input?: AsyncIterable<Input> | undefined },
  ): AsyncGenerator<Event> {
    this.#begin();
    const startedAtMs = performance.now();
    const span = startSpan('dispatch', { attributes: { 'mynah.worker.kind': this.#kind.displayName } });
    try {
      await this.#options.prepare(job, options.signal);
      const worker = await this.#waitForWorker(options.signal);
      yield* worker.run(job, { ...options, span });
    } catch (error) {
      span.fail(error);
      if (!(error instanceof WorkerLostError)) throw error;
      throw new ApiError('engine_failed', `The ${this.#kind.displayName} was lost. Try again.`, {
        cause: error,
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    } finally {
      span.end();
      this.#end();
      this.#options.onJobEnd?.(job, (performance.now() - startedAtMs) / 1000);
    }
  }

  /** Starts the processes ahead of the first job. */
  start(): void {
    if (this.#isClosed || this.#supervisors.length > 0) return;
    const { count, settings, policy, onEvent, onRestart, ffmpegSlots: slots } = this.#options;
    const { entry, niceness, displayName } = this.#kind;
    const { startTimeoutMs } = policy;
    const ffmpegSlots = slots && { slots, owner: displayName };
    this.#supervisors = Array.from(
      { length: count },
      () =>
        new Supervisor({
          startProcess: () =>
            WorkerProcess.start<Job, Event, Input>({
              entry,
              settings,
              startTimeoutMs,
              niceness,
              ffmpegSlots,
            }),
          policy: { ...DEFAULT_POLICY, pingTimeoutMs: PING_TIMEOUT_MS, ...policy },
          warmEngines: [],
          onEvent: (event, facts, level) => onEvent(event, { ...facts, kind: displayName }, level),
          onReady: () => this.#waiting.notifyAll(),
          onRestart,
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
      `No ${this.#kind.displayName} is ready. Try again in a few seconds.`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    );
  }
}
