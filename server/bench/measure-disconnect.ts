import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchContext } from './bench-context.ts';
import { listenAndLeave } from './listener.ts';
import { cpuSecondsOf } from './processes.ts';
import { atMost, ms, type PartReport } from './report.ts';
import { median } from './statistics.ts';
import { longTextFor } from './texts.ts';

const WORK_AFTER_MAX_MS = 300;
const LISTEN_MS = 600;
const SAMPLE_MS = 25;
const WORK_SHARE_MIN = 0.2;
/** Workers that used no CPU for so long are idle. */
const QUIET_MS = 500;
const WATCH_MAX_MS = 20_000;

/** How long workers go on for a client that has left in the middle of a long text. */
export async function measureDisconnect({ server, effort }: BenchContext): Promise<PartReport> {
  const text = [0, 1, 2].map(longTextFor).join(' ');
  const busyMs: number[] = [];
  for (let run = 0; run < effort.disconnects; run++) {
    await listenAndLeave(server, text, LISTEN_MS);
    busyMs.push(await untilQuietMs(server.workerPids));
  }
  const longestMs = Math.max(...busyMs);
  return {
    rows: [
      {
        what: 'engine work after a client left, median / longest',
        value: `${ms(median(busyMs))} / ${ms(longestMs)}`,
        target: atMost(longestMs, WORK_AFTER_MAX_MS, ' ms'),
      },
    ],
    data: { busyMs },
  };
}

/** Time from now to the last sign of work. */
async function untilQuietMs(pids: readonly number[]): Promise<number> {
  const startedAtMs = performance.now();
  let busyUntilMs = startedAtMs;
  let before = cpuSecondsOfAll(pids);
  for (let nowMs = startedAtMs; nowMs - busyUntilMs < QUIET_MS; nowMs = performance.now()) {
    if (nowMs - startedAtMs > WATCH_MAX_MS) break;
    await sleep(SAMPLE_MS);
    const now = cpuSecondsOfAll(pids);
    // An engine at work takes a whole core; a worker that answers its supervisor, next to nothing.
    if (now - before > (WORK_SHARE_MIN * SAMPLE_MS) / 1000) busyUntilMs = performance.now();
    before = now;
  }
  return busyUntilMs - startedAtMs;
}

function cpuSecondsOfAll(pids: readonly number[]): number {
  return pids.reduce((total, pid) => total + cpuSecondsOf(pid), 0);
}
