import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GaussianNoise } from './gaussian-noise.ts';

function noise(seed: number, length: number): Float32Array {
  const values = new Float32Array(length);
  new GaussianNoise(seed).fill(values);
  return values;
}

test('the noise is white and Gaussian', () => {
  const values = noise(1, 200_000);
  let sum = 0;
  let squares = 0;
  let neighbours = 0;
  let withinOne = 0;
  let beyondThree = 0;
  for (let index = 0; index < values.length; index++) {
    const value = values[index]!;
    sum += value;
    squares += value * value;
    neighbours += value * (values[index - 1] ?? 0);
    if (Math.abs(value) < 1) withinOne++;
    if (Math.abs(value) > 3) beyondThree++;
  }
  const count = values.length;
  assert.ok(Math.abs(sum / count) < 0.01, 'mean 0');
  assert.ok(Math.abs(squares / count - 1) < 0.01, 'variance 1');
  assert.ok(Math.abs(neighbours / count) < 0.01, 'neighbours are uncorrelated');
  assert.ok(Math.abs(withinOne / count - 0.6827) < 0.005, 'the share within one deviation');
  assert.ok(Math.abs(beyondThree / count - 0.0027) < 0.0006, 'the share beyond three deviations');
});

test('the sequence of a seed is fixed and equal on every machine', () => {
  const expected = [-0.17089146375656128, 0.17299459874629974, 0.0939946174621582, 1.0277899503707886];
  assert.deepEqual([...noise(42, 4)], expected);
});

test('equal seeds give equal noise, for any division into calls', () => {
  const whole = noise(7, 1000);
  const generator = new GaussianNoise(7);
  const parts = new Float32Array(1000);
  generator.fill(parts.subarray(0, 333));
  generator.fill(parts.subarray(333));
  assert.deepEqual(parts, whole);
});

test('different seeds give uncorrelated noise', () => {
  const seeds = [0, 1, 2, -1, 2 ** 31, 2 ** 32, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER];
  for (const [index, seed] of seeds.entries()) {
    for (const other of seeds.slice(index + 1)) {
      const [a, b] = [noise(seed, 5000), noise(other, 5000)];
      const correlation = a.reduce((sum, value, at) => sum + value * b[at]!, 0) / a.length;
      assert.ok(Math.abs(correlation) < 0.07, `${seed} and ${other}: ${correlation}`);
    }
  }
});

test('a seed of NaN is rejected', () => {
  assert.throws(() => new GaussianNoise(Number.NaN), RangeError);
});
