import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectGarbage } from './collect-garbage.ts';

test('unreachable memory is released at once', () => {
  const megabytes = () => process.memoryUsage().arrayBuffers / 2 ** 20;
  const fill = () => new Float32Array(2 ** 24).fill(1)[7];
  collectGarbage();
  const before = megabytes();
  fill();
  collectGarbage();
  assert.ok(megabytes() < before + 32, `${before} MB before, ${megabytes()} MB after`);
});
