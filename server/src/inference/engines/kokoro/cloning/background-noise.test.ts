import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GaussianNoise } from '../../../../audio/dsp/gaussian-noise.ts';
import { backgroundSpectrum, noiseLike } from './background-noise.ts';

const RATE_HZ = 24_000;

test('the background of a recording is what its pauses have: level and colour', () => {
  const random = new GaussianNoise(3);
  let previous = 0;
  const background = Float32Array.from({ length: 4 * RATE_HZ }, () => {
    previous = 0.9 * previous + 0.001 * random.next();
    return previous;
  });
  const recording = background.map((value, index) =>
    index % RATE_HZ < 0.7 * RATE_HZ ? value + 0.2 * Math.sin(0.1 * index) : value,
  );
  const noise = noiseLike(backgroundSpectrum(recording), 3 * RATE_HZ, 1);
  assert.equal(noise.length, 3 * RATE_HZ);
  const decibels = 10 * Math.log10(power(noise) / power(background));
  assert.ok(Math.abs(decibels) < 2, `level differs by ${decibels} dB`);
  const colour = (values: Float32Array) => correlation(values, 1);
  assert.ok(Math.abs(colour(noise) - colour(background)) < 0.05, `${colour(noise)} ${colour(background)}`);
  assert.deepEqual(noise, noiseLike(backgroundSpectrum(recording), 3 * RATE_HZ, 1));
});

test('digital silence and recordings shorter than a frame have no background', () => {
  const halfSilent = new Float32Array(RATE_HZ).fill(0.5, 0, RATE_HZ / 2);
  for (const samples of [halfSilent, new Float32Array(100).fill(0.5), new Float32Array(0)])
    assert.equal(power(noiseLike(backgroundSpectrum(samples), 1000, 1)), 0);
});

function power(values: Float32Array): number {
  return values.reduce((sum, value) => sum + (value * value) / values.length, 0);
}

function correlation(values: Float32Array, lag: number): number {
  let [product, square] = [0, 0];
  for (let index = lag; index < values.length; index++) {
    product += values[index]! * values[index - lag]!;
    square += values[index]! ** 2;
  }
  return square === 0 ? 0 : product / square;
}
