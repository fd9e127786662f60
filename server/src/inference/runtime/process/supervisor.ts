import { setTimeout as delay } from 'node:timers/promises';
import { type CpuUse, cpuUseOf } from './cpu-use.ts';
import { type Duty, Liveness } from './liveness.ts';
import type { WorkerVitals } from './worker-process.ts';

/** The part of a worker process that a supervisor uses. */
export interface SupervisedProcess {
  readonly pid: number;
  /** Whether the process has not exited yet. */
  readonly isAlive: boolean;
  readonly pendingRequests: number;
  /** The oldest cancelled job that has not stopped. */
  readonly cancelledJob: number | undefined;
  /** The running step: a different object for each step. Undefined for workers that do not report steps. */
  readonly step: object | undefined;
  /** Resolves with the reason when the process has exited. */
  readonly exited: Promise<string>;
  load(engine: string): Promise<unknown>;
  ping(): Promise<WorkerVitals>;
  stop(): Promise<void>;
  kill(): void;
}

/** Limits and intervals of supervision. */
export interface SupervisionPolicy {
  readonly startTimeoutMs: number;
  /** A worker that uses more memory is replaced when it is idle. */
  readonly memoryMaxBytes: number;
  readonly pingEveryMs: number;
  /** A worker that does not respond, or does not stop a cancelled job, for this time is killed. */
  readonly pingTimeoutMs: number;
  /** A worker whose step of an engine takes longer is killed. During a step this limit replaces `pingTimeoutMs`. */
  readonly stepTimeoutMs: number;
  /** Delay before a restart. It doubles, up to the maximum, each time a worker exits within `backOffMaxMs`. */
  readonly backOffMinMs: number;
  readonly backOffMaxMs: number;
}

/** Defaults. One step of an engine may block its process for a second. */
export const DEFAULT_POLICY = {
  pingEveryMs: 5000,
  pingTimeoutMs: 30_000,
  stepTimeoutMs: 30_000,
  backOffMinMs: 250,
  backOffMaxMs: 30_000,
} as const;

/** Log messages for a worker that is killed because it hangs. */
const HUNG: Readonly<Record<Duty, string>> = {
  pong: 'worker does not respond',
  cancellation: 'worker does not stop a cancelled job',
  step: 'a step of an engine exceeded its time limit',
};

/** The status of one supervised worker. */
export interface WorkerStatus {
  readonly state: WorkerState;
  readonly pid: number | undefined;
  readonly restarts: number;
  readonly pendingRequests: number;
  readonly memoryBytes: number | undefined;
  readonly engines: readonly string[];
  /** Seconds that loading each of these engines took. */
  readonly loadSeconds: Readonly<Record<string, number>>;
}

export type WorkerState = 'starting' | 'ready' | 'draining' | 'waiting' | 'stopped';

/** Reports an event for the log. The facts contain no text and no audio. The default level is `info`. */
export type SupervisionEvent = (
  event: string,
  facts: Record<string, unknown>,
  level?: 'info' | 'error',
) => void;

/**
 * Supervises one worker process: starts it, loads its engines, monitors it and restarts it with exponential
 * back-off.
 */
export class Supervisor<Process extends SupervisedProcess> {
  readonly #startProcess: () => Promise<Process>;
  readonly #policy: SupervisionPolicy;
  readonly #onEvent: SupervisionEvent;
  readonly #onReady: () => void;
  readonly #onRestart: () => void;
  readonly #cpuUseOf: (pid: number) => CpuUse;
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
    /** Called when a process has ended and is to be replaced. */
    readonly onRestart?: (() => void) | undefined;
    readonly cpuUseOf?: (pid: number) => CpuUse;
  }) {
    this.#startProcess = options.startProcess;
    this.#policy = options.policy;
    this.#warmEngines = options.warmEngines;
    this.#onEvent = options.onEvent;
    this.#onReady = options.onReady;
    this.#onRestart = options.onRestart ?? (() => {});
    this.#cpuUseOf = options.cpuUseOf ?? cpuUseOf;
    this.#finished = this.#run();
  }

  /** The process while it accepts requests. */
  get worker(): Process | undefined {
    return this.#state === 'ready' && this.#process?.isAlive ? this.#process : undefined;
  }

  status(): WorkerStatus {
    return {
      state: this.#state,
      pid: this.#process?.pid,
      restarts: this.#restarts,
      pendingRequests: this.#process?.pendingRequests ?? 0,
      memoryBytes: this.#vitals?.memoryBytes,
      engines: this.#vitals?.engines ?? [],
      loadSeconds: this.#vitals?.loadSeconds ?? {},
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
      const reason = await this.#runProcess().catch((error: unknown) => String(error));
      this.#process = undefined;
      this.#vitals = undefined;
      if (this.#isStopping) break;
      this.#restarts++;
      this.#onRestart();
      const isShortLived = Date.now() - startedAt < this.#policy.backOffMaxMs;
      backOffMs = isShortLived
        ? Math.min(backOffMs * 2, this.#policy.backOffMaxMs)
        : this.#policy.backOffMinMs;
      const hasFailedToStart = this.#state === 'starting';
      this.#state = 'waiting';
      if (hasFailedToStart) this.#onEvent('worker cannot start', { reason, restartInMs: backOffMs }, 'error');
      else this.#onEvent('worker ended', { reason, restartInMs: backOffMs });
      await delay(backOffMs, undefined, { signal: this.#stop.signal }).catch(() => {});
    }
    this.#state = 'stopped';
  }

  /** Starts a process and resolves with the reason when it has exited. */
  async #runProcess(): Promise<string> {
    this.#state = 'starting';
    const process = await this.#startProcess();
    this.#process = process;
    if (this.#isStopping) {
      await process.stop();
      return 'stopped';
    }
    // The kill fails the pending `load` or `ping`.
    const startTimer = setTimeout(() => process.kill(), this.#policy.startTimeoutMs);
    try {
      for (const engine of this.#warmEngines) await process.load(engine);
      this.#vitals = await process.ping();
    } catch (error) {
      process.kill();
      await process.exited;
      throw error;
    } finally {
      clearTimeout(startTimer);
    }
    this.#state = 'ready';
    this.#onEvent('worker ready', { pid: process.pid });
    this.#onReady();
    const stopWatching = this.#watch(process);
    try {
      return await process.exited;
    } finally {
      stopWatching();
    }
  }

  /** Pings the process, and kills it when it hangs. */
  #watch(process: Process): () => void {
    const { pingEveryMs, pingTimeoutMs, stepTimeoutMs } = this.#policy;
    const tickMs = Math.min(pingEveryMs, pingTimeoutMs, stepTimeoutMs) / 5;
    const liveness = new Liveness({
      limitsMs: { pong: pingTimeoutMs, cancellation: pingTimeoutMs, step: stepTimeoutMs },
      tickMs,
      cpu: this.#cpuUseOf(process.pid),
    });
    let ping: object | undefined;
    const ticking = setInterval(() => {
      const { step, cancelledJob: cancellation } = process;
      // A step may block the process; only its own limit applies meanwhile.
      const duties = step === undefined ? { pong: ping, cancellation } : { step };
      const failed = liveness.observe(duties, performance.now());
      if (failed !== undefined) this.#killHung(process, failed);
    }, tickMs);
    const pinging = setInterval(() => {
      if (ping !== undefined) return;
      ping = {};
      void this.#check(process).then(() => {
        ping = undefined;
      });
    }, pingEveryMs);
    return () => {
      clearInterval(ticking);
      clearInterval(pinging);
    };
  }

  #killHung(process: Process, duty: Duty): void {
    if (!process.isAlive) return;
    this.#onEvent(HUNG[duty], { pid: process.pid }, 'error');
    process.kill();
  }

  async #check(process: Process): Promise<void> {
    try {
      this.#vitals = await process.ping();
    } catch {
      return; // The process has exited; `#runProcess` handles that.
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
