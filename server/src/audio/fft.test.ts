import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fft } from './fft.ts';
import { noise } from './test-signals.ts';

test('the transform is the sum it is defined as', () => {
  const size = 64;
  const real = Float64Array.from(noise(size, 1, 3));
  const imaginary = Float64Array.from(noise(size, 1, 4));
  const expected = Array.from({ length: size }, (_, k) => {
    let re = 0;
    let im = 0;
    for (let n = 0; n < size; n++) {
      const angle = (-2 * Math.PI * k * n) / size;
      re += real[n]! * Math.cos(angle) - imaginary[n]! * Math.sin(angle);
      im += real[n]! * Math.sin(angle) + imaginary[n]! * Math.cos(angle);
    }
    return [re, im] as const;
  });
  new Fft(size).transform(real, imaginary);
  for (const [k, [re, im]] of expected.entries()) {
    assert.ok(Math.abs(real[k]! - re) < 1e-9 && Math.abs(imaginary[k]! - im) < 1e-9);
  }
});

test('sizes that are no power of two are refused', () => {
  for (const size of [0, 1, 3, 12, 1000]) assert.throws(() => new Fft(size), RangeError);
});
