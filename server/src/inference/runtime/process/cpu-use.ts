import { readdirSync, readFileSync } from 'node:fs';

/** How the system schedules a process. */
export interface CpuUse {
  /** CPU time of all threads since the start of the process; undefined where the system does not provide it. */
  cpuMs(): number | undefined;
  /** Whether one of its threads runs, is ready to run, or waits for the disk. */
  isRunnable(): boolean;
}

/** Clock ticks per second in `/proc`; 100 on all supported systems. */
const TICKS_PER_SECOND = 100;

/** The CPU use of a process, from `/proc`. */
export function cpuUseOf(pid: number): CpuUse {
  const root = `/proc/${pid}`;
  return {
    cpuMs: () => attempt(() => parseStat(readFileSync(`${root}/stat`, 'utf8')).cpuMs),
    isRunnable: () =>
      attempt(() =>
        readdirSync(`${root}/task`).some((thread) => {
          const stat = attempt(() => parseStat(readFileSync(`${root}/task/${thread}/stat`, 'utf8')));
          return stat?.state === 'R' || stat?.state === 'D';
        }),
      ) ?? false,
  };
}

/** Parses a `stat` file of a process or a thread. */
export function parseStat(stat: string): { readonly state: string | undefined; readonly cpuMs: number } {
  // The second field is the command in parentheses and may itself contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return { state: fields[0], cpuMs: (ticks * 1000) / TICKS_PER_SECOND };
}

/** Undefined on systems without `/proc`, and for a process or thread that has exited. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
