import assert from 'node:assert/strict';
import { test } from 'node:test';
import { argMax, logSumExp } from './log-probability.ts';

function exactly(values: Float32Array): number {
  const largest = Math.max(...values);
  return largest + Math.log(values.reduce((sum, value) => sum + Math.exp(value - largest), 0));
}

test('log-sum-exp is exact to nine digits', () => {
  const flat = new Float32Array(1000);
  const wide = Float32Array.from({ length: 1000 }, (_, index) => 40 * Math.sin(index));
  const suppressed = wide.map((value, index) => (index % 3 === 0 ? Number.NEGATIVE_INFINITY : value));
  for (const values of [flat, wide, suppressed, Float32Array.of(-3.5), Float32Array.of(100, -100)])
    assert.ok(Math.abs(logSumExp(values) - exactly(values)) < 1e-9);
});

test('log-sum-exp of nothing but suppressed tokens is negative infinity', () => {
  assert.equal(logSumExp(new Float32Array(3).fill(Number.NEGATIVE_INFINITY)), Number.NEGATIVE_INFINITY);
});

test('the first of equal values is the largest', () => {
  assert.equal(argMax(Float32Array.of(1, 3, 3, 2)), 1);
});
