import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { collectGarbage } from './collect-garbage.ts';

test('unreachable memory is released', async () => {
  const megabytes = () => process.memoryUsage().arrayBuffers / 2 ** 20;
  const fill = () => new Float32Array(2 ** 24).fill(1)[7];
  collectGarbage();
  const before = megabytes();
  fill();
  collectGarbage();
  // V8 frees array buffers in a thread of its own.
  for (let waits = 0; waits < 50 && megabytes() >= before + 32; waits++) await sleep(20);
  assert.ok(megabytes() < before + 32, `${before} MB before, ${megabytes()} MB after`);
});
