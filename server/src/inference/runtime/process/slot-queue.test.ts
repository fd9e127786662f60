import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SlotQueue } from './slot-queue.ts';

const never = new AbortController().signal;

test('what is there is found at once', async () => {
  assert.equal(await new SlotQueue().wait(() => 7, { signal: never, timeoutMs: 1 }), 7);
});

test('whoever waits looks again at every wake', async () => {
  const room = new SlotQueue();
  let looks = 0;
  const found = room.wait(() => (++looks === 3 ? 'here' : undefined), { signal: never, timeoutMs: 5000 });
  for (let wake = 0; wake < 2; wake++) {
    await new Promise((resolve) => setImmediate(resolve));
    room.wake();
  }
  assert.equal(await found, 'here');
});

test('nothing is found after the time is over, or when nobody wants it any more', async () => {
  const room = new SlotQueue();
  assert.equal(await room.wait(() => undefined, { signal: never, timeoutMs: 5 }), undefined);
  const signal = AbortSignal.abort();
  assert.equal(await room.wait(() => 7, { signal, timeoutMs: 5000 }), undefined);
});
