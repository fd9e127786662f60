import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks per second of Linux, on every architecture that Node supports. */
export const TICKS_PER_SECOND = 100;

/** The used fields of `/proc/<pid>/stat`. */
export interface ProcessStat {
  readonly parentPid: number;
  /** User and system time of all its threads. */
  readonly cpuSeconds: number;
}

/** Parses a line of `/proc/<pid>/stat`. */
export function parseStat(line: string): ProcessStat {
  // The second field is the program name, which may contain spaces and parentheses.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => Number(fields[number - 3]);
  return { parentPid: field(4), cpuSeconds: (field(14) + field(15)) / TICKS_PER_SECOND };
}

/** The resident memory in `/proc/<pid>/status`. */
export function parseResidentBytes(status: string): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1024;
}

/** CPU time in a line of `/proc/<pid>/task/<tid>/schedstat`: its first number, in nanoseconds. */
export function parseSchedstat(line: string): number {
  return Number(/^\d+(?= )/.exec(line)?.[0] ?? Number.NaN) / 1e9;
}

/** How a thread was scheduled since it started. */
export interface Scheduling {
  /** CPU time. */
  readonly cpuMs: number;
  /** Time in which the thread could run, and other threads had the CPU. */
  readonly waitingMs: number;
}

/** Parses a line of `/proc/<pid>/schedstat`. */
export function parseScheduling(line: string): Scheduling {
  const [cpu = Number.NaN, waiting = Number.NaN] = line.split(' ').map(Number);
  return { cpuMs: cpu / 1e6, waitingMs: waiting / 1e6 };
}

/** The scheduling of the main thread of a process, which runs the event loop in Node. Throws when it has exited. */
export function mainThreadSchedulingOf(pid: number): Scheduling {
  return parseScheduling(readFileSync(`/proc/${pid}/schedstat`, 'utf8'));
}

/** CPU time of the machine, in clock ticks. */
export interface MachineTicks {
  readonly total: number;
  readonly idle: number;
  /** Time that the hypervisor gave to other machines. */
  readonly stolen: number;
}

/** Parses the first line of `/proc/stat`. */
export function parseMachineTicks(stat: string): MachineTicks {
  const ticks = (/^cpu +(.*)$/m.exec(stat)?.[1] ?? '').split(' ').map(Number);
  const [idle = 0, waiting = 0, stolen = 0] = [ticks[3], ticks[4], ticks[7]];
  // Guest time, after the eighth field, is part of user time.
  return { total: ticks.slice(0, 8).reduce((sum, count) => sum + count, 0), idle: idle + waiting, stolen };
}

export function machineTicks(): MachineTicks {
  return parseMachineTicks(readFileSync('/proc/stat', 'utf8'));
}

/**
 * CPU time of all threads of a process, with nanosecond resolution where available: `/proc/<pid>/stat` has steps of
 * 10 ms, half of the cost of a second of speech. Throws when the process has exited.
 */
export function cpuSecondsOf(pid: number): number {
  try {
    const tasks = `/proc/${pid}/task`;
    return readdirSync(tasks).reduce(
      (total, thread) => total + parseSchedstat(readFileSync(`${tasks}/${thread}/schedstat`, 'utf8')),
      0,
    );
  } catch {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8')).cpuSeconds;
  }
}

/** Resident memory of a process. Throws when it has exited. */
export function residentBytesOf(pid: number): number {
  return parseResidentBytes(readFileSync(`/proc/${pid}/status`, 'utf8'));
}

/** The running child processes of a process, by ascending id. */
export function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((candidate) => parentOf(candidate) === pid)
    .sort((a, b) => a - b);
}

function parentOf(pid: number): number | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8')).parentPid;
  } catch {
    return undefined; // The process has exited.
  }
}
