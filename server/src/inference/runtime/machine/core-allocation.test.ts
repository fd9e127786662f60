import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { allocateCores } from './core-allocation.ts';

for (const [cores, workers, threads] of [
  [1, 1, 1],
  [2, 2, 1],
  [4, 4, 1],
  [6, 3, 2],
  [8, 4, 2],
] as const) {
  test(`${cores} cores: ${workers} workers with ${threads} threads each`, () => {
    assert.deepEqual(allocateCores(cores, 4), { workers, threads });
  });
}

test('an allocation exceeds neither the cores nor the maximum number of workers', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 256 }), fc.integer({ min: 1, max: 16 }), (cores, workersMax) => {
      const { workers, threads } = allocateCores(cores, workersMax);
      assert.ok(workers >= 1 && workers <= workersMax && workers * threads <= cores);
    }),
  );
});
