import type { CpuUse } from './cpu-use.ts';

/** What a worker owes the supervisor. */
export type Duty = 'pong' | 'cancellation' | 'step';

/** Time limits of the duties. */
export type DutyLimits = Readonly<Record<Duty, number>>;

/** The open duties at one moment. A duty is identified by its value: another value is another duty. */
export type OpenDuties = Readonly<Partial<Record<Duty, unknown>>>;

interface OpenDuty {
  readonly value: unknown;
  readonly cpuMsAtStart: number | undefined;
  observedMs: number;
}

/** A worker with less CPU time than this share of the time limit, although it could run, was not scheduled. */
const SCHEDULED_SHARE_MIN = 0.5;
/** Limits are extended up to this factor for a worker that the busy machine does not schedule. */
const PATIENCE_MAX = 4;

/**
 * Judges whether a worker process has hung. Only time that the supervisor itself observed counts: after a pause of its
 * own event loop the answers of a healthy worker are not received yet. A worker that is ready to run but gets little
 * CPU time on a busy machine is given more time.
 */
export class Liveness {
  readonly #limitsMs: DutyLimits;
  readonly #tickMaxMs: number;
  readonly #cpu: CpuUse;
  readonly #duties = new Map<Duty, OpenDuty>();
  #lastTickMs: number | undefined;

  /** `tickMs` is the interval at which `observe` is called. */
  constructor(options: { readonly limitsMs: DutyLimits; readonly tickMs: number; readonly cpu: CpuUse }) {
    this.#limitsMs = options.limitsMs;
    this.#tickMaxMs = 2 * options.tickMs;
    this.#cpu = options.cpu;
  }

  /** Returns the duty that the worker has failed. `nowMs` is the time of a monotonic clock. */
  observe(open: OpenDuties, nowMs: number): Duty | undefined {
    const elapsedMs = Math.min(nowMs - (this.#lastTickMs ?? nowMs), this.#tickMaxMs);
    this.#lastTickMs = nowMs;
    let failed: Duty | undefined;
    for (const duty of ['pong', 'cancellation', 'step'] as const) {
      const value = open[duty];
      const known = this.#duties.get(duty);
      if (value === undefined) this.#duties.delete(duty);
      else if (known === undefined || known.value !== value) {
        this.#duties.set(duty, { value, cpuMsAtStart: this.#cpu.cpuMs(), observedMs: 0 });
      } else {
        known.observedMs += elapsedMs;
        if (this.#isFailed(known, this.#limitsMs[duty])) failed ??= duty;
      }
    }
    return failed;
  }

  #isFailed({ cpuMsAtStart = 0, observedMs }: OpenDuty, limitMs: number): boolean {
    if (observedMs < limitMs) return false;
    if (observedMs >= PATIENCE_MAX * limitMs) return true;
    const cpuMs = this.#cpu.cpuMs();
    const isScheduled = cpuMs === undefined || cpuMs - cpuMsAtStart >= SCHEDULED_SHARE_MIN * limitMs;
    return isScheduled || !this.#cpu.isRunnable();
  }
}
