import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairSlots } from './fair-slots.ts';

test('no more calls run than there are slots', async () => {
  const slots = new FairSlots(2);
  let running = 0;
  let runningMax = 0;
  await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const release = await slots.acquire(`owner ${index % 3}`);
      runningMax = Math.max(runningMax, ++running);
      await new Promise(setImmediate);
      running--;
      release();
      release();
    }),
  );
  assert.equal(runningMax, 2);
  assert.equal(slots.used, 0);
});

test('waiting owners are served in turn', async () => {
  const slots = new FairSlots(1);
  const order: string[] = [];
  const run = async (owner: string, name: string) => {
    const release = await slots.acquire(owner);
    order.push(name);
    release();
  };
  const release = await slots.acquire('a');
  const all = Promise.all([run('a', 'a1'), run('a', 'a2'), run('a', 'a3'), run('b', 'b1'), run('c', 'c1')]);
  release();
  await all;
  assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'a3']);
});

test('an aborted call leaves the queue and takes no slot', async () => {
  const slots = new FairSlots(1);
  const release = await slots.acquire('a');
  const controller = new AbortController();
  const aborted = slots.acquire('a', controller.signal);
  const next = slots.acquire('a');
  controller.abort(new Error('left'));
  await assert.rejects(aborted, { message: 'left' });
  await assert.rejects(slots.acquire('a', controller.signal), { message: 'left' });
  release();
  (await next)();
  assert.equal(slots.used, 0);
});
