import { cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

const SAMPLE_MS = 250;
/** From this load on, a measurement says little about the machine. */
const BUSY_LOAD_MIN = 0.3;

/** Whether other work uses the cores, from their idle time during a short sample. This process has to be idle. */
export async function isMachineBusy(): Promise<boolean> {
  const before = coreTimes();
  await delay(SAMPLE_MS);
  const after = coreTimes();
  const totalMs = after.totalMs - before.totalMs;
  return totalMs > 0 && 1 - (after.idleMs - before.idleMs) / totalMs >= BUSY_LOAD_MIN;
}

function coreTimes(): { readonly idleMs: number; readonly totalMs: number } {
  const times = cpus().map((core) => core.times);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return {
    idleMs: sum(times.map(({ idle }) => idle)),
    totalMs: sum(times.map(({ user, nice, sys, idle, irq }) => user + nice + sys + idle + irq)),
  };
}
