import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InputQueue } from './input-queue.ts';

test('a queue is full of few large items, or of many small ones', async () => {
  let resumed = 0;
  const queue = new InputQueue<Uint8Array>(10_000, () => resumed++);
  let count = 0;
  for (; !queue.isFull; count++) queue.push(new Uint8Array(1));
  assert.ok(count < 1000, `${count} items of one byte`);
  queue.end();
  let bytes = 0;
  for await (const item of queue) bytes += item.length;
  assert.deepEqual([bytes, resumed], [count, 1]);
});
