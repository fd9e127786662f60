import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { largestDisplacement, median, quantile } from '../../bench/statistics.ts';

test('a quantile is interpolated linearly', () => {
  assert.equal(quantile([10, 20, 30, 40], 0.5), 25);
  assert.equal(quantile([40, 10, 30, 20], 0.95), 38.5);
  assert.equal(quantile([7], 0.95), 7);
  assert.ok(Number.isNaN(quantile([], 0.5)));
});

test('quantiles are within the values and increase with the share', () => {
  const values = fc.array(fc.integer(), { minLength: 1 });
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(values, share, share, (numbers, a, b) => {
      const [low, high] = [quantile(numbers, Math.min(a, b)), quantile(numbers, Math.max(a, b))];
      assert.ok(Math.min(...numbers) <= low && low <= high && high <= Math.max(...numbers));
    }),
  );
});

test('the median does not modify its argument', () => {
  const values = [3, 1, 2];
  assert.equal(median(values), 2);
  assert.deepEqual(values, [3, 1, 2]);
});

test('displacement is the largest distance from the original position', () => {
  assert.equal(largestDisplacement([0, 1, 2, 3]), 0);
  assert.equal(largestDisplacement([1, 0, 2, 3]), 1);
  assert.equal(largestDisplacement([3, 0, 1, 2]), 3);
  assert.equal(largestDisplacement([]), 0);
});
