import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Adam } from './adam.ts';

test('the first step has the size of the rate in every direction', () => {
  const values = new Float32Array(2);
  new Adam(2).step(values, Float32Array.of(1e-3, -50), 0.1);
  assert.ok(Math.abs(values[0]! + 0.1) < 1e-3 && Math.abs(values[1]! - 0.1) < 1e-6);
});

test('a quadratic function is minimised', () => {
  const values = Float32Array.of(3, -2);
  const optimizer = new Adam(2);
  for (let step = 0; step < 200; step++) {
    const gradient = Float32Array.of(2 * (values[0]! - 1), 20 * (values[1]! - 0.5));
    optimizer.step(values, gradient, 0.1 * (1 - step / 200));
  }
  assert.ok(Math.abs(values[0]! - 1) < 0.01 && Math.abs(values[1]! - 0.5) < 0.01);
});
