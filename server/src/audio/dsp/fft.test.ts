import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Fft } from './fft.ts';

interface ComplexNumbers {
  readonly real: Float64Array;
  readonly imaginary: Float64Array;
}

function directTransform({ real, imaginary }: ComplexNumbers): ComplexNumbers {
  const size = real.length;
  const out = { real: new Float64Array(size), imaginary: new Float64Array(size) };
  for (let bin = 0; bin < size; bin++) {
    for (let index = 0; index < size; index++) {
      const angle = (-2 * Math.PI * bin * index) / size;
      out.real[bin]! += real[index]! * Math.cos(angle) - imaginary[index]! * Math.sin(angle);
      out.imaginary[bin]! += real[index]! * Math.sin(angle) + imaginary[index]! * Math.cos(angle);
    }
  }
  return out;
}

for (const size of [2, 7, 12, 25, 32, 64, 400]) {
  test(`a transform of size ${size} equals the discrete Fourier transform by definition`, () => {
    const numbers = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), {
      minLength: size,
      maxLength: size,
    });
    const fft = new Fft(size);
    fc.assert(
      fc.property(numbers, numbers, (re, im) => {
        const signal = { real: Float64Array.from(re), imaginary: Float64Array.from(im) };
        const expected = directTransform(signal);
        fft.transform(signal.real, signal.imaginary);
        for (let bin = 0; bin < size; bin++) {
          assert.ok(Math.abs(signal.real[bin]! - expected.real[bin]!) < 1e-9);
          assert.ok(Math.abs(signal.imaginary[bin]! - expected.imaginary[bin]!) < 1e-9);
        }
      }),
      { numRuns: size > 100 ? 5 : 20 },
    );
  });
}

test('invalid sizes are rejected', () => {
  for (const size of [-4, 0, 1, 2.5, Number.NaN]) assert.throws(() => new Fft(size), RangeError);
});
