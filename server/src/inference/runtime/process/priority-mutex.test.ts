import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PriorityMutex } from './priority-mutex.ts';

test('work is mutually exclusive, and urgent work runs before earlier work', async () => {
  const mutex = new PriorityMutex();
  const log: string[] = [];
  let running = 0;
  const work = (name: string, isUrgent: boolean) =>
    mutex.runExclusive(
      async () => {
        assert.equal(++running, 1);
        log.push(name);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
      },
      { isUrgent },
    );
  await Promise.all([work('a', false), work('b', false), work('c', false), work('live', true)]);
  assert.deepEqual(log, ['a', 'live', 'b', 'c']);
});

test('an error rejects its own call only, and the next call runs', async () => {
  const mutex = new PriorityMutex();
  const failing = mutex.runExclusive(() => Promise.reject(new Error('no')), { isUrgent: false });
  const next = mutex.runExclusive(async () => 'yes', { isUrgent: false });
  await assert.rejects(failing, /no/);
  assert.equal(await next, 'yes');
});

test('cancelled work leaves the queue at once, also while urgent work keeps it waiting', async () => {
  const mutex = new PriorityMutex();
  const abort = new AbortController();
  let finish = () => {};
  const urgent = mutex.runExclusive(
    () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
    { isUrgent: true },
  );
  const cancelled = mutex.runExclusive(async () => assert.fail('cancelled work ran'), {
    isUrgent: false,
    signal: abort.signal,
  });
  const next = mutex.runExclusive(async () => 'next', { isUrgent: false });
  abort.abort(new Error('cancelled'));
  await assert.rejects(cancelled, /cancelled/);
  finish();
  await urgent;
  assert.equal(await next, 'next');
  await assert.rejects(mutex.runExclusive(async () => {}, { isUrgent: true, signal: abort.signal }));
});

test('while the mutex is reserved, other work does not begin between urgent steps', async () => {
  const mutex = new PriorityMutex();
  const log: string[] = [];
  const step = (name: string, isUrgent: boolean) =>
    mutex.runExclusive(
      async () => {
        log.push(name);
        await new Promise((resolve) => setImmediate(resolve));
      },
      { isUrgent },
    );
  const background = (async () => {
    for (let count = 0; count < 3; count++) await step('background', false);
  })();
  const end = mutex.reserve();
  for (let count = 0; count < 3; count++) {
    await step('urgent', true);
    await new Promise((resolve) => setImmediate(resolve));
  }
  end();
  end();
  await background;
  assert.deepEqual(log, ['background', 'urgent', 'urgent', 'urgent', 'background', 'background']);
});
