import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SPECTRUM_BINS, SpectrumKernel, TRANSFORM_SIZE } from './spectrum-kernel.ts';

// The kernel against implementations in 64 bits. The other kernels are compared bit by bit (kernels.test.ts).

const HOPS = 8;
const HOP_SAMPLES = 150;
const part = fc.float({ min: -2, max: 2, noNaN: true });
const parts = (length: number) =>
  fc.array(part, { minLength: length, maxLength: length }).map((values) => Float32Array.from(values));
const number = fc.double({ min: -2, max: 2, noNaN: true });
const noise = Float32Array.from({ length: 3 * SPECTRUM_BINS }, (_, index) => Math.sin(index * index));
const window = Float32Array.from({ length: TRANSFORM_SIZE }, (_, sample) => 1 + Math.sin(sample) / 2);
const kernel = new SpectrumKernel({ hops: HOPS, hopSamples: HOP_SAMPLES, window, noise });

/** Compares with a reference in 64 bits; `scale` is the size of the terms of a sum. */
function assertClose(actual: Float32Array, expected: ArrayLike<number>, scale: number): void {
  assert.equal(actual.length, expected.length);
  for (const [index, value] of actual.entries()) {
    const error = Math.abs(value - expected[index]!);
    assert.ok(error <= 1e-5 * scale, `${value} at ${index}, expected ${expected[index]}`);
  }
}

test('pulses of any number of bins are added', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: SPECTRUM_BINS }),
      number,
      number,
      number,
      (bins, weight, step, other) => {
        const real = new Float64Array(SPECTRUM_BINS);
        const imaginary = new Float64Array(SPECTRUM_BINS);
        kernel.clearSums();
        for (const turn of [step, other]) {
          kernel.addPulse(bins, { weight, step: turn });
          for (let bin = 0; bin < bins; bin++) {
            real[bin]! += weight * Math.cos(turn * bin);
            imaginary[bin]! += weight * Math.sin(turn * bin);
          }
        }
        assertClose(kernel.pulseReal, real, 10);
        assertClose(kernel.pulseImaginary, imaginary, 10);
      },
    ),
  );
});

test('noise is turned and shifted by any number of bins', () => {
  fc.assert(
    fc.property(fc.nat(SPECTRUM_BINS), fc.nat(SPECTRUM_BINS), fc.boolean(), number, number, (...args) => {
      const [offset, shift, isUp, cosine, sine] = args;
      const [from, to] = isUp ? [0, shift] : [shift, 0];
      const bins = SPECTRUM_BINS - shift;
      kernel.clearSums();
      kernel.addModulated(offset, { from, to, bins, cosine, sine });
      const real = new Float64Array(SPECTRUM_BINS);
      const imaginary = new Float64Array(SPECTRUM_BINS);
      for (let bin = 0; bin < bins; bin++) {
        const [re, im] = [noise[offset + from + bin]!, noise[offset + SPECTRUM_BINS + from + bin]!];
        real[to + bin] = cosine * re + sine * im;
        imaginary[to + bin] = cosine * im - sine * re;
      }
      assertClose(kernel.modulatedReal, real, 4);
      assertClose(kernel.modulatedImaginary, imaginary, 4);
    }),
  );
});

test('hops are filtered, transformed and added to each other as the reference does', () => {
  fc.assert(
    fc.property(parts(8 * SPECTRUM_BINS), fc.nat(SPECTRUM_BINS), number, (values, offset, depth) => {
      const row = (index: number) => values.subarray(index * SPECTRUM_BINS, (index + 1) * SPECTRUM_BINS);
      const { filters } = kernel;
      const expected = new Float64Array(HOPS * HOP_SAMPLES + TRANSFORM_SIZE);
      kernel.begin(HOPS);
      for (let hop = 0; hop < HOPS; hop++) {
        // Every hop has other rows of the same values.
        const rows = Array.from({ length: 8 }, (_, index) => row((index + hop) % 8));
        const [pulseReal, pulseImaginary, modReal, modImaginary, ...factors] = rows as [
          ...[Float32Array, Float32Array, Float32Array, Float32Array],
          ...Float32Array[],
        ];
        const at = hop * SPECTRUM_BINS;
        for (const [index, name] of (['gain', 'real', 'imaginary', 'noiseGain'] as const).entries()) {
          filters[name].set(factors[index]!, at);
        }
        filters.depth[hop] = depth;
        kernel.pulseReal.set(pulseReal);
        kernel.pulseImaginary.set(pulseImaginary);
        kernel.modulatedReal.set(modReal);
        kernel.modulatedImaginary.set(modImaginary);
        kernel.filterHop(hop, offset);
        const [gain, real, imaginary, noiseGain] = factors as [
          ...[Float32Array, Float32Array, Float32Array, Float32Array],
        ];
        const spectrum = Array.from({ length: SPECTRUM_BINS }, (_, bin) => {
          const [re, im] = [gain[bin]! * real[bin]!, gain[bin]! * imaginary[bin]!];
          const noiseReal = noise[offset + bin]! + depth * modReal[bin]!;
          const noiseImaginary = noise[offset + SPECTRUM_BINS + bin]! + depth * modImaginary[bin]!;
          return [
            pulseReal[bin]! * re - pulseImaginary[bin]! * im + noiseGain[bin]! * noiseReal,
            pulseReal[bin]! * im + pulseImaginary[bin]! * re + noiseGain[bin]! * noiseImaginary,
          ] as const;
        });
        for (const [sample, value] of inverseTransform(spectrum).entries()) {
          expected[hop * HOP_SAMPLES + sample]! += window[sample]! * value;
        }
      }
      assertClose(kernel.samples(0, expected.length), expected, 1000);
    }),
    { numRuns: 10 },
  );
});

/** The real samples of a half spectrum, times their number. */
function inverseTransform(spectrum: readonly (readonly [number, number])[]): Float64Array {
  const size = TRANSFORM_SIZE;
  return Float64Array.from({ length: size }, (_, sample) => {
    let sum = 0;
    for (const [bin, [real, imaginary]] of spectrum.entries()) {
      const angle = (2 * Math.PI * ((bin * sample) % size)) / size;
      const share = bin === 0 || bin === size / 2 ? 1 : 2;
      sum += share * (real * Math.cos(angle) - imaginary * Math.sin(angle));
    }
    return sum;
  });
}
