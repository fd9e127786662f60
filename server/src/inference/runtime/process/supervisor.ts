import { setTimeout as delay } from 'node:timers/promises';
import type { WorkerVitals } from './worker-process.ts';

/** What a supervisor needs of a worker process. */
export interface SupervisedProcess {
  readonly pid: number;
  readonly pendingRequests: number;
  /** For how long it has been at something that was called off; 0 when it is not. */
  readonly overdueMs: number;
  /** Resolves when the process is gone, with a word on why. */
  readonly exited: Promise<string>;
  load(engine: string): Promise<unknown>;
  ping(): Promise<WorkerVitals>;
  stop(): Promise<void>;
  kill(): void;
}

/** How workers are watched. */
export interface SupervisionPolicy {
  readonly startTimeoutMs: number;
  /** A worker above this is replaced once it has nothing to do. */
  readonly memoryMaxBytes: number;
  readonly pingEveryMs: number;
  /** A worker that does not answer for this long, or does not let go of a cancelled job, is killed. */
  readonly pingTimeoutMs: number;
  /** Wait before a restart; it doubles each time a worker dies young, up to the maximum. */
  readonly backOffMinMs: number;
  readonly backOffMaxMs: number;
}

/** What is right unless somebody knows better. One step of an engine may block its process for a second. */
export const DEFAULT_POLICY = {
  pingEveryMs: 5000,
  pingTimeoutMs: 30_000,
  backOffMinMs: 250,
  backOffMaxMs: 30_000,
} as const;

/** What is known of one worker from outside. */
export interface WorkerStatus {
  readonly state: WorkerState;
  readonly pid: number | undefined;
  readonly restarts: number;
  readonly pendingRequests: number;
  readonly memoryBytes: number | undefined;
  readonly engines: readonly string[];
}

export type WorkerState = 'starting' | 'ready' | 'draining' | 'waiting' | 'stopped';

/** Tells what happened, for the log. Facts only: no text and no audio. */
export type SupervisionEvent = (event: string, facts: Record<string, unknown>) => void;

/**
 * Keeps one worker process alive: starts it, warms its engines, watches it, and starts another when it
 * dies, waiting longer each time it dies young.
 */
export class Supervisor<Process extends SupervisedProcess> {
  readonly #startProcess: () => Promise<Process>;
  readonly #policy: SupervisionPolicy;
  readonly #onEvent: SupervisionEvent;
  readonly #onReady: () => void;
  readonly #stop = new AbortController();
  readonly #finished: Promise<void>;
  #warmEngines: readonly string[] = [];
  #process: Process | undefined;
  #state: WorkerState = 'starting';
  #vitals: WorkerVitals | undefined;
  #restarts = 0;

  constructor(options: {
    readonly startProcess: () => Promise<Process>;
    readonly policy: SupervisionPolicy;
    readonly warmEngines: readonly string[];
    readonly onEvent: SupervisionEvent;
    readonly onReady: () => void;
  }) {
    this.#startProcess = options.startProcess;
    this.#policy = options.policy;
    this.#warmEngines = options.warmEngines;
    this.#onEvent = options.onEvent;
    this.#onReady = options.onReady;
    this.#finished = this.#run();
  }

  /** The process, while it takes work. */
  get worker(): Process | undefined {
    return this.#state === 'ready' ? this.#process : undefined;
  }

  status(): WorkerStatus {
    return {
      state: this.#state,
      pid: this.#process?.pid,
      restarts: this.#restarts,
      pendingRequests: this.#process?.pendingRequests ?? 0,
      memoryBytes: this.#vitals?.memoryBytes,
      engines: this.#vitals?.engines ?? [],
    };
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#process?.stop();
    await this.#finished;
  }

  async #run(): Promise<void> {
    let backOffMs = this.#policy.backOffMinMs;
    while (!this.#isStopping) {
      const startedAt = Date.now();
      const reason = await this.#live().catch((error: unknown) => String(error));
      this.#process = undefined;
      this.#vitals = undefined;
      if (this.#isStopping) break;
      this.#restarts++;
      const isYoung = Date.now() - startedAt < this.#policy.backOffMaxMs;
      backOffMs = isYoung ? Math.min(backOffMs * 2, this.#policy.backOffMaxMs) : this.#policy.backOffMinMs;
      this.#state = 'waiting';
      this.#onEvent('worker ended', { reason, restartInMs: backOffMs });
      await delay(backOffMs, undefined, { signal: this.#stop.signal }).catch(() => {});
    }
    this.#state = 'stopped';
  }

  /** One life of a process. Resolves with the reason of its end. */
  async #live(): Promise<string> {
    this.#state = 'starting';
    const process = await this.#startProcess();
    this.#process = process;
    if (this.#isStopping) {
      await process.stop();
      return 'stopped';
    }
    // Killed, it fails whatever it was asked for.
    const late = setTimeout(() => process.kill(), this.#policy.startTimeoutMs);
    try {
      for (const engine of this.#warmEngines) await process.load(engine);
      this.#vitals = await process.ping();
    } catch (error) {
      process.kill();
      await process.exited;
      throw error;
    } finally {
      clearTimeout(late);
    }
    this.#state = 'ready';
    this.#onEvent('worker ready', { pid: process.pid });
    this.#onReady();
    const watch = setInterval(() => void this.#check(process), this.#policy.pingEveryMs);
    try {
      return await process.exited;
    } finally {
      clearInterval(watch);
    }
  }

  async #check(process: Process): Promise<void> {
    const { pingTimeoutMs } = this.#policy;
    const giveUp = () => {
      this.#onEvent('worker does not answer', { pid: process.pid });
      process.kill();
    };
    if (process.overdueMs > pingTimeoutMs) return giveUp();
    const timer = setTimeout(giveUp, pingTimeoutMs);
    try {
      this.#vitals = await process.ping();
    } catch {
      return; // It is gone already; its exit is seen elsewhere.
    } finally {
      clearTimeout(timer);
    }
    if (this.#vitals.memoryBytes > this.#policy.memoryMaxBytes) this.#state = 'draining';
    if (this.#state === 'draining' && process.pendingRequests === 0) {
      this.#onEvent('worker replaced', { pid: process.pid, memoryBytes: this.#vitals.memoryBytes });
      await process.stop();
    }
  }

  get #isStopping(): boolean {
    return this.#stop.signal.aborted;
  }
}
