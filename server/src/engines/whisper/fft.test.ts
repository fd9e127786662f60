import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type ComplexNumbers, FourierTransform } from './fft.ts';

function slowTransform({ re, im }: ComplexNumbers): ComplexNumbers {
  const length = re.length;
  const out = { re: new Float64Array(length), im: new Float64Array(length) };
  for (let bin = 0; bin < length; bin++) {
    for (let index = 0; index < length; index++) {
      const angle = (-2 * Math.PI * bin * index) / length;
      out.re[bin]! += re[index]! * Math.cos(angle) - im[index]! * Math.sin(angle);
      out.im[bin]! += re[index]! * Math.sin(angle) + im[index]! * Math.cos(angle);
    }
  }
  return out;
}

for (const length of [2, 7, 12, 25, 400]) {
  test(`a transform of ${length} numbers is what its definition says`, () => {
    const numbers = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), {
      minLength: length,
      maxLength: length,
    });
    const transform = new FourierTransform(length);
    fc.assert(
      fc.property(numbers, numbers, (re, im) => {
        const input = { re: Float64Array.from(re), im: Float64Array.from(im) };
        const output = { re: new Float64Array(length), im: new Float64Array(length) };
        transform.transform(input, output);
        const expected = slowTransform(input);
        for (let bin = 0; bin < length; bin++) {
          assert.ok(Math.abs(output.re[bin]! - expected.re[bin]!) < 1e-9);
          assert.ok(Math.abs(output.im[bin]! - expected.im[bin]!) < 1e-9);
        }
      }),
      { numRuns: length > 100 ? 5 : 20 },
    );
  });
}
