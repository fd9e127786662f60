import { availableParallelism } from 'node:os';
import {
  type MachineTicks,
  machineTicks,
  mainThreadSchedulingOf,
  type Scheduling,
  TICKS_PER_SECOND,
} from '../bench/processes/processes.ts';
import { readOr } from './read-or.ts';

const NOT_SCHEDULED: Scheduling = { cpuMs: 0, waitingMs: 0 };
const NO_TICKS: MachineTicks = { total: 0, idle: 0, stolen: 0 };
/** A slow response counts when the event loop used this much CPU meanwhile; otherwise the machine was busy. */
const BLOCKED_CPU_RATIO = 0.5;

/** The time of a response and where it went, in milliseconds. */
export interface ResponseTimes {
  readonly tookMs: number;
  /** CPU time of the event loop. Linux counts stolen time of a running thread as its CPU time. */
  readonly cpuMs: number;
  /** Time that the event loop waited for a CPU. */
  readonly waitingMs: number;
  /** Time that the hypervisor gave to other machines, per CPU. */
  readonly stolenMs: number;
}

export interface SlowResponse extends ResponseTimes {
  /** Maximum delay of the event loop in the second of the response. */
  readonly eventLoopDelayMs: number | undefined;
  /** The cases in flight. */
  readonly recent: string;
}

/** Measures one response of a server, from its construction. */
export class ResponseClock {
  readonly #pid: number;
  readonly #startedAtMs = performance.now();
  readonly #scheduling: Scheduling;
  readonly #ticks = readOr(NO_TICKS, machineTicks);

  constructor(pid: number) {
    this.#pid = pid;
    this.#scheduling = readOr(NOT_SCHEDULED, () => mainThreadSchedulingOf(pid));
  }

  read(): ResponseTimes {
    const tookMs = performance.now() - this.#startedAtMs;
    const { cpuMs, waitingMs } = readOr(this.#scheduling, () => mainThreadSchedulingOf(this.#pid));
    const stolen = readOr(this.#ticks, machineTicks).stolen - this.#ticks.stolen;
    return {
      tookMs: Math.round(tookMs),
      cpuMs: Math.round(cpuMs - this.#scheduling.cpuMs),
      waitingMs: Math.round(waitingMs - this.#scheduling.waitingMs),
      stolenMs: Math.round((1000 * stolen) / TICKS_PER_SECOND / availableParallelism()),
    };
  }
}

/** Whether the event loop itself used the time: half of it, or `limitMs`, as CPU time that was not stolen. */
export function isBlocked({ tookMs, cpuMs, stolenMs }: ResponseTimes, limitMs: number): boolean {
  const usedMs = cpuMs - stolenMs;
  return usedMs >= tookMs * BLOCKED_CPU_RATIO || usedMs >= limitMs;
}

export function describeSlow(slow: SlowResponse): string {
  const { tookMs, cpuMs, waitingMs, stolenMs, eventLoopDelayMs } = slow;
  return `${tookMs} ms: the event loop used ${cpuMs} ms of CPU and waited ${waitingMs} ms for one; ${stolenMs} ms were stolen per CPU; maximum delay of the event loop ${eventLoopDelayMs ?? 'unknown'} ms`;
}
