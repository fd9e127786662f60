import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PriorityMutex } from './priority-mutex.ts';

test('one at a time; those in a hurry go before those who came earlier', async () => {
  const turns = new PriorityMutex();
  const log: string[] = [];
  let running = 0;
  const work = (name: string, isUrgent: boolean) =>
    turns.take(
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

test('a failure is told to who caused it, and the next one goes on', async () => {
  const turns = new PriorityMutex();
  const failing = turns.take(() => Promise.reject(new Error('no')), { isUrgent: false });
  const next = turns.take(async () => 'yes', { isUrgent: false });
  await assert.rejects(failing, /no/);
  assert.equal(await next, 'yes');
});
