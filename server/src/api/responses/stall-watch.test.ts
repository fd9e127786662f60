import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { watchStall } from './stall-watch.ts';

const STALL_MS = 60_000;

for (const { what, bytesAfter, stallsAtMs } of [
  { what: 'reads nothing', bytesAfter: () => 4_000_000, stallsAtMs: 60_000 },
  {
    what: 'reads steadily below real time',
    bytesAfter: (ms: number) => 4_000_000 - 4 * ms,
    stallsAtMs: undefined,
  },
  {
    what: 'stops after three minutes',
    bytesAfter: (ms: number) => 4_000_000 - 4 * Math.min(ms, 180_000),
    stallsAtMs: 240_000,
  },
  {
    what: 'reads a few bytes a minute',
    bytesAfter: (ms: number) => 4_000_000 - ms / 1000,
    stallsAtMs: 60_000,
  },
  { what: 'cannot be observed', bytesAfter: () => undefined, stallsAtMs: 60_000 },
]) {
  const promise = stallsAtMs === undefined ? 'does not stall' : `stalls after ${stallsAtMs / 1000} s`;
  test(`a client that ${what} ${promise}`, async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    let nowMs = 0;
    let stalledAtMs: number | undefined;
    const endWatch = watchStall({
      stallMs: STALL_MS,
      unreadBytes: async () => bytesAfter(nowMs),
      onStall: () => {
        stalledAtMs = nowMs;
      },
    });
    for (; nowMs < 600_000; nowMs += 1000) {
      context.mock.timers.tick(nowMs === 0 ? 0 : 1000);
      await nextTick();
    }
    endWatch();
    assert.equal(stalledAtMs, stallsAtMs);
  });
}

test('a watch that has ended reports nothing', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const endWatch = watchStall({
    stallMs: STALL_MS,
    unreadBytes: async () => 1,
    onStall: () => assert.fail('reported'),
  });
  context.mock.timers.tick(30_000);
  await nextTick();
  endWatch();
  context.mock.timers.tick(600_000);
  await nextTick();
});
