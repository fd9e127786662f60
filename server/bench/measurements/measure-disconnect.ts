import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchContext } from '../bench-context.ts';
import { streamAndDisconnect } from '../clients/http-client.ts';
import { cpuSecondsOf } from '../processes/processes.ts';
import { atMost, ms, type PartReport } from '../report.ts';
import { median } from '../statistics.ts';
import { longTextFor } from '../texts.ts';

const WORK_AFTER_MAX_MS = 300;
const DISCONNECT_AFTER_MS = 600;
const SAMPLE_MS = 25;
const WORK_SHARE_MIN = 0.2;
/** Workers without CPU use for this time are idle. */
const IDLE_MS = 500;
const WATCH_MAX_MS = 20_000;

/** How long workers continue after a client has disconnected during a long text. */
export async function measureDisconnect({ server, effort }: BenchContext): Promise<PartReport> {
  const text = [0, 1, 2].map(longTextFor).join(' ');
  const busyMs: number[] = [];
  for (let run = 0; run < effort.disconnects; run++) {
    await streamAndDisconnect(server, text, DISCONNECT_AFTER_MS);
    busyMs.push(await untilIdleMs(server.workerPids));
  }
  const longestMs = Math.max(...busyMs);
  return {
    rows: [
      {
        what: 'engine work after a disconnection, median / longest',
        value: `${ms(median(busyMs))} / ${ms(longestMs)}`,
        target: atMost(longestMs, WORK_AFTER_MAX_MS, ' ms'),
      },
    ],
    data: { busyMs },
  };
}

/** Time from the call to the last CPU activity. */
async function untilIdleMs(pids: readonly number[]): Promise<number> {
  const startedAtMs = performance.now();
  let busyUntilMs = startedAtMs;
  let before = cpuSecondsOfAll(pids);
  for (let nowMs = startedAtMs; nowMs - busyUntilMs < IDLE_MS; nowMs = performance.now()) {
    if (nowMs - startedAtMs > WATCH_MAX_MS) break;
    await sleep(SAMPLE_MS);
    const now = cpuSecondsOfAll(pids);
    // A working engine uses an entire core; a worker that only responds to its supervisor uses almost none.
    if (now - before > (WORK_SHARE_MIN * SAMPLE_MS) / 1000) busyUntilMs = performance.now();
    before = now;
  }
  return busyUntilMs - startedAtMs;
}

function cpuSecondsOfAll(pids: readonly number[]): number {
  return pids.reduce((total, pid) => total + cpuSecondsOf(pid), 0);
}
