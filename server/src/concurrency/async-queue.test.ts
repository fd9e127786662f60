import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AsyncQueue } from './async-queue.ts';

test('values come out in order, also those pushed before anybody reads', async () => {
  const channel = new AsyncQueue<number>(() => {});
  channel.push(1);
  setImmediate(() => {
    channel.push(2);
    channel.end();
  });
  const seen: number[] = [];
  for await (const value of channel) seen.push(value);
  assert.deepEqual(seen, [1, 2]);
});

test('a failure comes after the values that were pushed before it', async () => {
  const channel = new AsyncQueue<number>(() => {});
  channel.push(1);
  channel.fail(new Error('lost'));
  const seen: number[] = [];
  await assert.rejects(async () => {
    for await (const value of channel) seen.push(value);
  }, /lost/);
  assert.deepEqual(seen, [1]);
});

test('a reader that leaves early is told to the other side, one that reads to the end is not', async () => {
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
