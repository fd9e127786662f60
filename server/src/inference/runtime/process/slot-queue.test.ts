import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SlotQueue } from './slot-queue.ts';

const never = new AbortController().signal;

test('an available resource is returned immediately', async () => {
  assert.equal(await new SlotQueue().wait(() => 7, { signal: never, timeoutMs: 1 }), 7);
});

test('a waiting request checks again at every notification', async () => {
  const queue = new SlotQueue();
  let checks = 0;
  const found = queue.wait(() => (++checks === 3 ? 'slot' : undefined), { signal: never, timeoutMs: 5000 });
  for (let round = 0; round < 2; round++) {
    await new Promise((resolve) => setImmediate(resolve));
    queue.notifyAll();
  }
  assert.equal(await found, 'slot');
});

test('the result is undefined after the timeout and after an abort', async () => {
  const queue = new SlotQueue();
  assert.equal(await queue.wait(() => undefined, { signal: never, timeoutMs: 5 }), undefined);
  const signal = AbortSignal.abort();
  assert.equal(await queue.wait(() => 7, { signal, timeoutMs: 5000 }), undefined);
});
