import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks per second of Linux, on every architecture that Node supports. */
const TICKS_PER_SECOND = 100;

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
