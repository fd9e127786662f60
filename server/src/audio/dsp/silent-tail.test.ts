import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentTailLength } from './silent-tail.ts';

test('silence at the end is counted, silence before sound is not', () => {
  assert.equal(silentTailLength(Float32Array.of(0, 0.5, 0, -0.1, 0.001, 0)), 2);
  assert.equal(silentTailLength(Float32Array.of(0, 0)), 2);
  assert.equal(silentTailLength(Float32Array.of(0.2)), 0);
  assert.equal(silentTailLength(new Float32Array(0)), 0);
});
