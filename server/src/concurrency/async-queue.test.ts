import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AsyncQueue } from './async-queue.ts';

test('values are read in order, including those pushed before the reader starts', async () => {
  const queue = new AsyncQueue<number>(() => {});
  queue.push(1);
  setImmediate(() => {
    queue.push(2);
    queue.end();
  });
  const seen: number[] = [];
  for await (const value of queue) seen.push(value);
  assert.deepEqual(seen, [1, 2]);
});

test('an error is thrown after the values that were pushed before it', async () => {
  const queue = new AsyncQueue<number>(() => {});
  queue.push(1);
  queue.fail(new Error('lost'));
  const seen: number[] = [];
  await assert.rejects(async () => {
    for await (const value of queue) seen.push(value);
  }, /lost/);
  assert.deepEqual(seen, [1]);
});

test('onLeave is called for a reader that leaves early, and not for one that reads to the end', async () => {
  let leaves = 0;
  const left = new AsyncQueue<number>(() => leaves++);
  left.push(1);
  for await (const _ of left) break;
  assert.equal(leaves, 1);

  const read = new AsyncQueue<number>(() => leaves++);
  read.end();
  for await (const _ of read);
  assert.equal(leaves, 1);
});
