import { setTimeout as delay } from 'node:timers/promises';
import {
  childrenOf,
  type MachineTicks,
  machineTicks,
  residentBytesOf,
} from '../bench/processes/processes.ts';
import type { RealServer } from '../test/support/servers/real-server.ts';
import type { Findings } from './findings.ts';
import { readOr } from './read-or.ts';
import { ServerMetrics } from './server-metrics.ts';
import { describeSlow, isBlocked, ResponseClock, type SlowResponse } from './slow-response.ts';

const PROBE_INTERVAL_MS = 100;
const MEMORY_INTERVAL_MS = 1000;
/** A health request must not take longer. */
export const HEALTH_MAX_MS = 500;
/** Slow responses that are stored. */
const SLOW_STORED_MAX = 1000;
const NO_TICKS: MachineTicks = { total: 0, idle: 0, stolen: 0 };
const PROBE_TIMEOUT_MS = 60_000;
const WARM_UP_MS = 60_000;
const WINDOW_MS = 30_000;
export const GROWTH_MAX = 0.1;

interface MemorySample {
  readonly atMs: number;
  readonly serverBytes: number;
  readonly workerBytes: number;
  /** Used part of the JavaScript heap of the HTTP process. */
  readonly heapBytes: number | undefined;
}

export interface MonitorReport {
  readonly probes: number;
  /** The slowest response, without those of `slowByMachine`. */
  readonly slowestHealthMs: number;
  /** Responses over the limit while the event loop of the server did not use the CPU: the machine was busy. */
  readonly slowByMachine: number;
  /** The slowest of them. */
  readonly slowestByMachine: SlowResponse | undefined;
  /** CPU time of the machine during the run. */
  readonly machine: { readonly idle: number; readonly stolen: number };
  readonly workerRestarts: number;
  readonly serverMebibytes: { readonly afterWarmUp: number; readonly atEnd: number; readonly max: number };
  readonly heapMebibytes: { readonly afterWarmUp: number; readonly atEnd: number; readonly max: number };
  readonly workerMebibytes: { readonly afterWarmUp: number; readonly atEnd: number; readonly max: number };
  /** Growth of the HTTP process after the first minute, as a ratio; undefined for a run that is too short. */
  readonly serverGrowth: number | undefined;
}

/** Probes health and memory of a server until it is stopped. */
export class Monitor {
  readonly #server: RealServer;
  readonly #findings: Findings;
  readonly #recent: () => string;
  readonly #startedAtMs = Date.now();
  readonly #samples: MemorySample[] = [];
  readonly #done: Promise<unknown>;
  #isStopped = false;
  #probes = 0;
  #slowestMs = 0;
  #slowByMachine = 0;
  #slowestByMachine: SlowResponse | undefined;
  readonly #slow: SlowResponse[] = [];
  readonly #metrics: ServerMetrics;
  readonly #ticksAtStart = readOr(NO_TICKS, machineTicks);
  #restarts = 0;

  /** `recent` describes the last cases, for findings that no single response shows. */
  constructor(server: RealServer, findings: Findings, recent: () => string) {
    this.#server = server;
    this.#findings = findings;
    this.#recent = recent;
    this.#metrics = new ServerMetrics(server);
    this.#done = Promise.all([this.#probe(), this.#sampleMemory()]);
  }

  get isServerAlive(): boolean {
    return this.#server.process.exitCode === null && this.#server.process.signalCode === null;
  }

  async stop(): Promise<MonitorReport> {
    this.#isStopped = true;
    await this.#done;
    this.#findings.store('slow-health.json', JSON.stringify(this.#slow, null, 1));
    this.#findings.store('memory.json', JSON.stringify(this.#samples));
    const serverGrowth = this.#growth();
    if (serverGrowth !== undefined && serverGrowth > GROWTH_MAX) {
      const percent = (serverGrowth * 100).toFixed(0);
      this.#findings.add({
        kind: 'memory',
        signature: 'memory',
        message: `The memory of the HTTP process grew by ${percent} % after the first minute.`,
      });
    }
    return {
      probes: this.#probes,
      slowestHealthMs: Math.round(this.#slowestMs),
      slowByMachine: this.#slowByMachine,
      slowestByMachine: this.#slowestByMachine,
      machine: this.#machine(),
      workerRestarts: this.#restarts,
      serverMebibytes: this.#summary(({ serverBytes }) => serverBytes),
      heapMebibytes: this.#summary(({ heapBytes }) => heapBytes ?? 0),
      workerMebibytes: this.#summary(({ workerBytes }) => workerBytes),
      serverGrowth,
    };
  }

  async #probe(): Promise<void> {
    const pid = this.#server.process.pid!;
    while (!this.#isStopped && this.isServerAlive) {
      const clock = new ResponseClock(pid);
      const recent = this.#recent();
      try {
        const response = await fetch(`${this.#server.url}/v1/health`, {
          signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
        });
        const health = (await response.json()) as { workers: { restarts: number }[] };
        this.#countRestarts(health.workers, recent);
      } catch (error) {
        if (!this.isServerAlive) return;
        this.#findings.add({
          kind: 'health',
          signature: 'health: no response',
          message: `GET /v1/health failed: ${String(error)}. Last cases: ${recent}`,
        });
      }
      const times = clock.read();
      const { tookMs } = times;
      this.#probes++;
      if (tookMs > HEALTH_MAX_MS) {
        const { eventLoopDelayMs } = await this.#metrics.read();
        this.#reportSlow({ ...times, eventLoopDelayMs, recent });
      } else this.#slowestMs = Math.max(this.#slowestMs, tookMs);
      await delay(Math.max(0, PROBE_INTERVAL_MS - tookMs));
    }
  }

  #reportSlow(slow: SlowResponse): void {
    if (this.#slow.length < SLOW_STORED_MAX) this.#slow.push(slow);
    const { tookMs, recent } = slow;
    if (!isBlocked(slow, HEALTH_MAX_MS)) {
      this.#slowByMachine++;
      if (tookMs > (this.#slowestByMachine?.tookMs ?? 0)) this.#slowestByMachine = slow;
      return;
    }
    this.#slowestMs = Math.max(this.#slowestMs, tookMs);
    const message = `GET /v1/health: ${describeSlow(slow)}. Last cases: ${recent}`;
    this.#findings.add({ kind: 'health', signature: `health: ${recent.split(',')[0]}`, message });
  }

  #machine(): MonitorReport['machine'] {
    const { total, idle, stolen } = readOr(NO_TICKS, machineTicks);
    const ticks = Math.max(1, total - this.#ticksAtStart.total);
    const ratio = (count: number) => Math.round((100 * count) / ticks) / 100;
    return { idle: ratio(idle - this.#ticksAtStart.idle), stolen: ratio(stolen - this.#ticksAtStart.stolen) };
  }

  #countRestarts(workers: readonly { readonly restarts: number }[], recent: string): void {
    const restarts = workers.reduce((sum, worker) => sum + worker.restarts, 0);
    if (restarts > this.#restarts) {
      this.#findings.add({
        kind: 'restart',
        signature: `restart ${restarts}`,
        message: `A worker process was restarted. Last cases: ${recent}`,
      });
    }
    this.#restarts = Math.max(this.#restarts, restarts);
  }

  async #sampleMemory(): Promise<void> {
    const pid = this.#server.process.pid!;
    while (!this.#isStopped && this.isServerAlive) {
      const serverBytes = readOr(0, () => residentBytesOf(pid));
      const workers = readOr(0, () =>
        childrenOf(pid).reduce((sum, child) => sum + readOr(0, () => residentBytesOf(child)), 0),
      );
      // Starts a new interval, so that a slow response is compared with the delay of its own second.
      const { heapBytes } = await this.#metrics.read();
      const atMs = Date.now() - this.#startedAtMs;
      this.#samples.push({ atMs, serverBytes, workerBytes: workers, heapBytes });
      await delay(MEMORY_INTERVAL_MS);
    }
  }

  #summary(of: (sample: MemorySample) => number) {
    const mebibytes = (bytes: number) => Math.round(bytes / 2 ** 20);
    const values = this.#samples.map(of);
    return {
      afterWarmUp: mebibytes(median(this.#afterWarmUp().map(of))),
      atEnd: mebibytes(median(values.slice(-WINDOW_MS / MEMORY_INTERVAL_MS))),
      max: mebibytes(Math.max(0, ...values)),
    };
  }

  #afterWarmUp(): readonly MemorySample[] {
    return this.#samples.filter(({ atMs }) => atMs > WARM_UP_MS && atMs <= WARM_UP_MS + WINDOW_MS);
  }

  #growth(): number | undefined {
    const first = this.#afterWarmUp();
    const last = this.#samples
      .filter(({ atMs }) => atMs > WARM_UP_MS + WINDOW_MS)
      .slice(-WINDOW_MS / MEMORY_INTERVAL_MS);
    if (last.length < WINDOW_MS / MEMORY_INTERVAL_MS) return undefined;
    const bytes = ({ serverBytes }: MemorySample) => serverBytes;
    return median(last.map(bytes)) / median(first.map(bytes)) - 1;
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
