import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Duty, Liveness, type OpenDuties } from './liveness.ts';

const TICK_MS = 1000;
const limitsMs = { pong: 30_000, cancellation: 30_000, step: 60_000 };

/** A worker that gets this share of a core, and whose threads can run or wait. */
function setup({ cpuShare = 1, isRunnable = true }: { cpuShare?: number | undefined; isRunnable?: boolean }) {
  let nowMs = 0;
  const cpu = {
    cpuMs: () => (cpuShare === undefined ? undefined : nowMs * cpuShare),
    isRunnable: () => isRunnable,
  };
  const liveness = new Liveness({ limitsMs, tickMs: TICK_MS, cpu });
  /** Observes the duties for a time. Returns the failed duty and when it was noticed. */
  const observe = (duties: OpenDuties, seconds: number): [Duty, number] | undefined => {
    const startMs = nowMs;
    for (; nowMs <= startMs + seconds * 1000; nowMs += TICK_MS) {
      const failed = liveness.observe(duties, nowMs);
      if (failed !== undefined) return [failed, nowMs / 1000];
    }
    return undefined;
  };
  return {
    observe,
    sleepWithoutTicks: (seconds: number) => {
      nowMs += seconds * 1000;
    },
  };
}

test('a worker that uses its CPU and does not respond fails at the limit', () => {
  assert.deepEqual(setup({}).observe({ pong: 1 }, 100), ['pong', 30]);
  assert.deepEqual(setup({}).observe({ cancellation: 7 }, 100), ['cancellation', 30]);
  assert.deepEqual(setup({}).observe({ step: {} }, 100), ['step', 60]);
});

test('a worker that waits for nothing that the machine owes it fails at the limit', () => {
  assert.deepEqual(setup({ cpuShare: 0, isRunnable: false }).observe({ pong: 1 }, 100), ['pong', 30]);
});

test('a worker that a busy machine does not schedule gets up to four times the limit', () => {
  assert.deepEqual(setup({ cpuShare: 0.25 }).observe({ pong: 1 }, 200), ['pong', 60]);
  assert.deepEqual(setup({ cpuShare: 0.01 }).observe({ pong: 1 }, 200), ['pong', 120]);
});

test('without information on its CPU use the limit applies', () => {
  assert.deepEqual(setup({ cpuShare: undefined }).observe({ pong: 1 }, 100), ['pong', 30]);
});

test('time in which the supervisor itself was blocked does not count', () => {
  const { observe, sleepWithoutTicks } = setup({});
  assert.equal(observe({ pong: 1 }, 10), undefined);
  sleepWithoutTicks(600);
  assert.equal(observe({ pong: 1 }, 10), undefined);
});

test('each step and each ping has a limit of its own', () => {
  const { observe } = setup({});
  for (let step = 0; step < 10; step++) assert.equal(observe({ step: {}, pong: step }, 25), undefined);
  assert.equal(observe({}, 100), undefined);
});
