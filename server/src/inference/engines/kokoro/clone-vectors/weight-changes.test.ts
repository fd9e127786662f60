import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  changeRanges,
  initialWeightChanges,
  WEIGHT_CHANGES_SIZE,
  weightChangesWith,
} from './weight-changes.ts';

const SECOND_MATRICES_SIZE = changeRanges().reduce((sum, { from, to }) => sum + to - from, 0);

test('second matrices are put between the first ones, which are the same for all voices', () => {
  const secondMatrices = Float32Array.from({ length: SECOND_MATRICES_SIZE }, (_, index) => index + 1);
  const changes = weightChangesWith(secondMatrices);
  assert.equal(changes.length, WEIGHT_CHANGES_SIZE);
  const found = changeRanges().flatMap(({ from, to }) => [...changes.subarray(from, to)]);
  assert.deepEqual(found, [...secondMatrices]);
  for (const { from, to } of changeRanges()) changes.fill(0, from, to);
  assert.deepEqual(changes, initialWeightChanges());
});

test('changes with second matrices of zero are those that change nothing', () => {
  assert.deepEqual(weightChangesWith(new Float32Array(SECOND_MATRICES_SIZE)), initialWeightChanges());
});
