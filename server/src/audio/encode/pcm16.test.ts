import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fromPcm16Bytes, toInt16, toPcm16Bytes } from './pcm16.ts';

test('samples are rounded to the nearest value and clamped, without wrap-around', () => {
  const cases: readonly (readonly [number, number])[] = [
    [0, 0],
    [1, 32767],
    [-1, -32768],
    [7, 32767],
    [-7, -32768],
    [Number.POSITIVE_INFINITY, 32767],
    [Number.NEGATIVE_INFINITY, -32768],
    [Number.NaN, 0],
    [0.4 / 32768, 0],
    [0.6 / 32768, 1],
    [-0.4 / 32768, 0],
    [-0.6 / 32768, -1],
    [0.5, 16384],
  ];
  assert.deepEqual(
    [...toInt16(Float32Array.from(cases, ([sample]) => sample))],
    cases.map(([, step]) => step),
  );
});

test('any number of samples is rounded independently', () => {
  for (const length of [0, 1, 7, 8, 9, 8191, 8192, 8193, 20_001]) {
    const samples = Float32Array.from({ length }, (_, i) => 1.2 * Math.sin(i));
    const steps = Array.from(samples, (sample) =>
      Math.max(-32768, Math.min(32767, Math.floor(sample * 32768 + 0.5))),
    );
    assert.deepEqual([...toInt16(samples)], steps);
  }
});

test('bytes are little-endian', () => {
  assert.deepEqual([...toPcm16Bytes(Float32Array.of(0x0102 / 32768, -1))], [0x02, 0x01, 0x00, 0x80]);
});

test('16-bit audio survives the conversion to floats and back unchanged', () => {
  fc.assert(
    fc.property(fc.int16Array(), (steps) => {
      const bytes = new Uint8Array(steps.buffer, steps.byteOffset, steps.byteLength);
      assert.deepEqual(toInt16(fromPcm16Bytes(bytes)), steps);
    }),
  );
});
