import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts the time of processes in hundredths of a second, on every machine Node runs on. */
const TICKS_PER_SECOND = 100;

/** The part of `/proc/<pid>/stat` we read. */
export interface ProcessStat {
  readonly parentPid: number;
  /** User and system time of all its threads. */
  readonly cpuSeconds: number;
}

/** Reads a line of `/proc/<pid>/stat`. */
export function parseStat(line: string): ProcessStat {
  // The second field is the program's name, which may hold blanks and parentheses.
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

/**
 * CPU time the threads of a process have used, to the nanosecond where the system tells: the usual count has steps
 * of 10 ms, half of what a second of speech costs. Throws when the process is gone.
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

/** Resident memory of a process. Throws when it is gone. */
export function residentBytesOf(pid: number): number {
  return parseResidentBytes(readFileSync(`/proc/${pid}/status`, 'utf8'));
}

/** The processes that a process has started and that still run, in the order of their ids. */
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
    return undefined; // It ended while we were looking.
  }
}
