import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createGainReleaseKernel } from './gain-release-kernel.ts';
import { createLagProductsKernel, LAGS_AT_ONCE } from './lag-products-kernel.ts';
import {
  createBiquadEnergyKernel,
  createGainRampKernel,
  createStepLevelsKernel,
  LEVEL_LANES,
} from './loudness-kernel.ts';
import { createPcm16Kernel } from './pcm16-kernel.ts';
import { createResamplerKernel } from './resampler-kernel.ts';
import { createSecondDifferenceKernel, PRECEDING_SAMPLES } from './second-difference-kernel.ts';
import {
  createTruePeakKernel,
  TRUE_PEAK_CENTRE_TAP,
  TRUE_PEAK_FILTERS,
  TRUE_PEAK_TAPS,
} from './true-peak-kernel.ts';

// The kernels against implementations in plain TypeScript that round every operation to 32 bits, in the order of the
// .wat sources. Results are compared bit by bit, except that WebAssembly leaves the sign and payload of NaN open.

const f32 = Math.fround;

/** Ordinary levels, and any float: denormals, infinities, NaN and both zeros are frequent. */
const sample = fc.oneof(
  { weight: 6, arbitrary: fc.float({ min: f32(-1.5), max: f32(1.5), noNaN: true }) },
  { weight: 2, arbitrary: fc.float() },
  { weight: 1, arbitrary: fc.integer({ min: -40, max: 40 }).map((steps) => f32(steps * 2 ** -149)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...[0, -0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
      ...[2 ** -126, -(2 ** -126), 1, -1, 0.5 / 32768, -0.5 / 32768, 1.5 / 32768, 32767.5 / 32768],
    ),
  },
);
/** Half of the signals are finite, because one NaN determines every result that depends on it. */
const samples = (lengths: { readonly minLength?: number; readonly maxLength: number }) =>
  fc
    .tuple(fc.array(sample, lengths), fc.boolean())
    .map(([values, hasOnlyFinite]) =>
      Float32Array.from(values, (value) => (hasOnlyFinite && !Number.isFinite(value) ? 0.25 : value)),
    );

function assertSameBits(actual: Float32Array, expected: Float32Array): void {
  assert.equal(actual.length, expected.length);
  for (const [index, value] of expected.entries()) {
    assert.ok(Object.is(actual[index], value), `${actual[index]} at ${index}, expected ${value}`);
  }
}

/** Garbage in the buffers that are only partly filled must not change a result. */
function fillWithGarbage(...buffers: readonly (Float32Array | Int16Array)[]): void {
  for (const buffer of buffers) buffer.fill(12345);
}

test('pcm16: any floats in any number are rounded as the reference does', () => {
  const kernel = createPcm16Kernel(64);
  const toStep = (value: number) => {
    const rounded = Math.floor(f32(f32(value * 32768) + 0.5));
    return Number.isNaN(rounded) ? 0 : Math.max(-32768, Math.min(32767, rounded));
  };
  fc.assert(
    fc.property(samples({ maxLength: 64 }), (input) => {
      fillWithGarbage(kernel.floats, kernel.integers);
      kernel.floats.set(input);
      kernel.round(input.length);
      assert.deepEqual(
        kernel.integers.slice(0, input.length),
        Int16Array.from(input, (value) => toStep(value)),
      );
    }),
    { numRuns: 2000 },
  );
});

test('pcm16: the peak ignores NaN and what follows the samples', () => {
  const kernel = createPcm16Kernel(64);
  fc.assert(
    fc.property(samples({ maxLength: 64 }), (input) => {
      fillWithGarbage(kernel.floats);
      kernel.floats.set(input);
      const expected = input.reduce((peak, value) => (Math.abs(value) > peak ? Math.abs(value) : peak), 0);
      assert.equal(kernel.peak(input.length), expected);
    }),
    { numRuns: 2000 },
  );
});

test('pcm16: integers are multiplied with any scale', () => {
  const kernel = createPcm16Kernel(64);
  const integers = fc.array(fc.integer({ min: -32768, max: 32767 }), { maxLength: 64 });
  fc.assert(
    fc.property(integers, fc.float({ noNaN: true, noDefaultInfinity: true }), (input, scale) => {
      fillWithGarbage(kernel.floats, kernel.integers);
      kernel.integers.set(input);
      kernel.scale(input.length, scale);
      const expected = Float32Array.from(input, (value) => value * scale);
      assertSameBits(kernel.floats.slice(0, input.length), expected);
    }),
    { numRuns: 2000 },
  );
});

test('second difference: the peak of every block is that of the reference, for all block lengths', () => {
  const capacity = 256;
  const kernel = createSecondDifferenceKernel(capacity);
  const max = (a: number, b: number) => (Number.isNaN(a) || Number.isNaN(b) ? Number.NaN : Math.max(a, b));
  fc.assert(
    fc.property(
      samples({ minLength: PRECEDING_SAMPLES + 4, maxLength: PRECEDING_SAMPLES + capacity }),
      fc.integer({ min: 4, max: 48 }),
      (input, wantedBlockSamples) => {
        const blockSamples = Math.min(wantedBlockSamples, input.length - PRECEDING_SAMPLES);
        const blocks = Math.floor((input.length - PRECEDING_SAMPLES) / blockSamples);
        fillWithGarbage(kernel.input, kernel.output);
        kernel.input.set(input);
        kernel.run(blocks, blockSamples);
        const expected = Float32Array.from({ length: blocks }, (_, block) => {
          let peak = 0;
          for (let index = 0; index < blockSamples; index++) {
            const at = PRECEDING_SAMPLES + block * blockSamples + index;
            const [x2, x1, x0] = input.subarray(at - 2, at + 1) as unknown as [number, number, number];
            peak = max(peak, Math.abs(f32(f32(f32(x0 - x1) - x1) + x2)));
          }
          return peak;
        });
        assertSameBits(kernel.output.slice(0, blocks), expected);
      },
    ),
    { numRuns: 1000 },
  );
});

test('lag products: the sum of every lag is that of the reference, for any frame, first lag and number of lags', () => {
  const [samplesMax, lagsMax] = [120, 24];
  const kernel = createLagProductsKernel({ samples: samplesMax, lags: lagsMax });
  const value = fc.oneof(fc.double({ min: -1.5, max: 1.5, noNaN: true }), fc.double());
  fc.assert(
    fc.property(
      fc.array(value, { minLength: samplesMax, maxLength: samplesMax }),
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 0, max: samplesMax - 60 - lagsMax }),
      fc.integer({ min: 1, max: lagsMax / LAGS_AT_ONCE }),
      (values, frame, firstLag, groups) => {
        const lags = LAGS_AT_ONCE * groups;
        kernel.input.set(values);
        kernel.run(frame, firstLag, lags);
        for (let lag = 0; lag < lags; lag++) {
          let sum = 0;
          for (let at = 0; at < frame; at++) sum += values[at]! * values[at + firstLag + lag]!;
          assert.equal(kernel.output[lag], sum);
        }
      },
    ),
  );
});

test('resampler: every output sample is that of the reference, for any ratio, phase and length', () => {
  const shape = fc.record({
    up: fc.integer({ min: 1, max: 7 }),
    down: fc.integer({ min: 1, max: 15 }),
    taps: fc.constantFrom(8, 16, 24),
    outputCapacity: fc.integer({ min: 1, max: 120 }),
  });
  fc.assert(
    fc.property(
      shape,
      samples({ minLength: 24 * 7, maxLength: 24 * 7 }),
      samples({ maxLength: 100 }),
      fc.nat(),
      fc.integer({ min: 0, max: 20 }),
      ({ up, down, taps, outputCapacity }, bank, input, anyPhase, tapStart) => {
        const coefficients = bank.slice(0, up * taps);
        const wholeStep = Math.floor(down / up);
        const phaseStep = down % up;
        const phase = anyPhase % up;
        const kernel = createResamplerKernel({
          ...{ up, taps, coefficients, wholeStep, phaseStep },
          ...{ inputCapacity: 128, outputCapacity },
        });
        fillWithGarbage(kernel.input, kernel.output);
        kernel.input.set(input);
        const count = kernel.run(tapStart, phase, input.length);

        const expected: number[] = [];
        for (let position = tapStart * up + phase; expected.length < outputCapacity; position += down) {
          const start = Math.floor(position / up);
          if (start + taps > input.length) break;
          expected.push(
            filterInLanes(
              input.subarray(start, start + taps),
              coefficients.subarray((position % up) * taps, ((position % up) + 1) * taps),
            ),
          );
        }
        assertSameBits(kernel.output.slice(0, count), Float32Array.from(expected));
      },
    ),
    { numRuns: 1000 },
  );
});

/** A dot product with eight accumulators, added in pairs. */
function filterInLanes(input: Float32Array, coefficients: Float32Array): number {
  const sums = new Float32Array(8);
  for (const [tap, value] of input.entries()) {
    sums[tap % 8] = sums[tap % 8]! + f32(value * coefficients[tap]!);
  }
  const lane = (index: number) => f32(sums[index]! + sums[index + 4]!);
  return f32(f32(lane(0) + lane(1)) + f32(lane(2) + lane(3)));
}

const filters = Array.from({ length: TRUE_PEAK_FILTERS }, (_, filter) =>
  Float64Array.from(
    { length: TRUE_PEAK_TAPS },
    (__, tap) => Math.cos(filter + tap) / (1 + Math.abs(tap - 5)),
  ),
);

test('true peak: both searches stop at the sample of the reference, from any start to any end', () => {
  const capacity = 96;
  const kernel = createTruePeakKernel(filters, capacity);
  const peakAt = (input: Float32Array, index: number) => {
    const taps = input.subarray(index - TRUE_PEAK_TAPS + 1, index + 1);
    return filters.reduce((peak, filter) => {
      const value = taps.reduce((sum, tap, at) => f32(sum + f32(tap * f32(filter[at]!))), 0);
      return Number.isNaN(peak) || Number.isNaN(value) ? Number.NaN : Math.max(peak, Math.abs(value));
    }, Math.abs(taps[TRUE_PEAK_CENTRE_TAP]!));
  };
  fc.assert(
    fc.property(
      samples({ minLength: TRUE_PEAK_TAPS, maxLength: capacity }),
      fc.float({ min: 0, max: 3, noNaN: true }),
      fc.nat(),
      fc.nat(),
      (input, level, anyFrom, anyTo) => {
        fillWithGarbage(kernel.buffer);
        kernel.buffer.set(input);
        const first = TRUE_PEAK_TAPS - 1;
        const from = first + (anyFrom % (input.length - first));
        const to = from + (anyTo % (input.length - from + 1));
        const find = (levelAt: (index: number) => number) => {
          for (let index = from; index < to; index++) if (levelAt(index) > level) return index;
          return to;
        };
        assert.equal(
          kernel.findSample(from, to, level),
          find((index) => Math.abs(input[index]!)),
        );
        assert.equal(
          kernel.findPeak(from, to, level),
          find((index) => peakAt(input, index)),
        );
      },
    ),
    { numRuns: 2000 },
  );
});

test('gain release: samples, average and state are those of the reference, for any length and start', () => {
  const kernel = createGainReleaseKernel({ samples: 64, gains: 16 });
  const gain = fc.double({ min: 0.05, max: 1, noNaN: true });
  fc.assert(
    fc.property(
      samples({ maxLength: 64 }),
      fc.array(gain, { minLength: 1, maxLength: 16 }),
      fc.record({
        heldGain: gain,
        slot: fc.nat(),
        factor: fc.double({ min: 0, max: 0.5, noNaN: true }),
        limit: fc.constantFrom(0.5, 0.9, 0.999),
      }),
      (input, ring, { heldGain, slot: start, factor, limit }) => {
        const gains = Float64Array.from(ring);
        const expected = Float32Array.from(input);
        let held = heldGain;
        let sum = gains.reduce((total, value) => total + value, 0);
        let slot = start % gains.length;
        const release = { heldGain, sum, slot, factor, limit };
        fillWithGarbage(kernel.samples);
        kernel.samples.set(input);
        kernel.gains.set(gains);
        let count = 0;
        for (; count < input.length && held <= limit; count++) {
          held += (1 - held) * factor;
          sum += held - gains[slot]!;
          gains[slot] = held;
          slot = (slot + 1) % gains.length;
          expected[count] = expected[count]! * (sum / gains.length);
        }
        assert.equal(kernel.run(input.length, gains.length, release), count);
        assertSameBits(kernel.samples.slice(0, input.length), expected);
        assert.deepEqual(kernel.gains.slice(0, gains.length), gains);
        assert.deepEqual([...kernel.state], [held, sum]);
      },
    ),
    { numRuns: 2000 },
  );
});

test('gain ramp: any floats in any number are multiplied as the reference does', () => {
  const kernel = createGainRampKernel(64);
  const coefficient = fc.double({ min: -4, max: 4, noNaN: true });
  fc.assert(
    fc.property(
      samples({ maxLength: 64 }),
      coefficient,
      coefficient,
      fc.nat(5000),
      (input, gain, slope, from) => {
        fillWithGarbage(kernel.input, kernel.output);
        kernel.input.set(input);
        kernel.run(input.length, { gain, slope, from });
        assertSameBits(
          kernel.output.slice(0, input.length),
          input.map((value, index) => value * (gain + slope * (from + index))),
        );
      },
    ),
  );
});

test('biquads: energy and state are those of the reference, however the input is divided', () => {
  const kernel = createBiquadEnergyKernel(64);
  const coefficient = fc.double({ min: -1, max: 1, noNaN: true });
  const coefficients = fc.array(coefficient, { minLength: 10, maxLength: 10 });
  fc.assert(
    fc.property(samples({ maxLength: 64 }), coefficients, fc.nat(64), (input, values, cut) => {
      kernel.coefficients.set(values);
      kernel.state.fill(0.125);
      let energy = 0.5;
      for (const part of [input.subarray(0, cut), input.subarray(cut)]) {
        fillWithGarbage(kernel.input);
        kernel.input.set(part);
        energy = kernel.run(part.length, energy);
      }
      const expected = referenceBiquads(input, values, 0.5);
      assert.deepEqual([energy, ...kernel.state], [expected.energy, ...expected.state]);
    }),
  );
});

/** Two biquads in series; every state is 0.125 at first. */
function referenceBiquads(input: Float32Array, coefficients: readonly number[], energy: number) {
  const state = [0.125, 0.125, 0.125, 0.125];
  let sum = energy;
  for (const sampleValue of input) {
    let value: number = sampleValue;
    for (const filter of [0, 1]) {
      const [b0, in1, in2, a1, a2] = [0, 2, 4, 6, 8].map((at) => coefficients[at + filter]!) as [
        number,
        number,
        number,
        number,
        number,
      ];
      const [first, second] = [state[filter]!, state[filter + 2]!];
      state[filter] = in1 * value + second - a1 * first;
      state[filter + 2] = in2 * value - a2 * first;
      value = b0 * value + first;
    }
    sum += value * value;
  }
  return { energy: sum, state };
}

test('step levels: energies and peaks of all stretches are those of the reference', () => {
  const kernel = createStepLevelsKernel(256, 64);
  const value = fc.float({ min: f32(-1.5), max: f32(1.5), noNaN: true });
  const input = fc.array(value, { minLength: 4, maxLength: 256 }).map((values) => Float32Array.from(values));
  const coefficient = fc.float({ min: -0.5, max: 0.5, noNaN: true });
  const coefficients = fc.array(coefficient, { minLength: 10, maxLength: 10 });
  fc.assert(
    fc.property(input, coefficients, fc.integer({ min: 1, max: 16 }), (values, biquads, wantedSamples) => {
      const size = Math.min(wantedSamples, Math.floor(values.length / LEVEL_LANES));
      const steps = Math.min(16, Math.floor(values.length / LEVEL_LANES / size));
      fillWithGarbage(kernel.input);
      kernel.input.set(values);
      kernel.coefficients.set(biquads.flatMap((each) => Array<number>(LEVEL_LANES).fill(each)));
      const levels = kernel.run(steps, size);
      const expected = Float32Array.from({ length: 2 * LEVEL_LANES * steps });
      for (let lane = 0; lane < LEVEL_LANES; lane++) {
        const stretch = values.subarray(lane * steps * size, (lane + 1) * steps * size);
        for (const [step, { energy, peak }] of referenceLevels(stretch, biquads, size).entries()) {
          expected[2 * LEVEL_LANES * step + lane] = energy;
          expected[2 * LEVEL_LANES * step + LEVEL_LANES + lane] = peak;
        }
      }
      assertSameBits(levels.slice(0, expected.length), expected);
    }),
    { numRuns: 1000 },
  );
});

/** Two biquads in series from silence, every operation in 32 bits. */
function referenceLevels(input: Float32Array, coefficients: readonly number[], stepSamples: number) {
  const state = [0, 0, 0, 0];
  const levels: { energy: number; peak: number }[] = [];
  for (const [index, sampleValue] of input.entries()) {
    if (index % stepSamples === 0) levels.push({ energy: 0, peak: 0 });
    const level = levels.at(-1)!;
    let value = sampleValue;
    for (const filter of [0, 1]) {
      const [b0, in1, in2, a1, a2] = coefficients.slice(5 * filter, 5 * filter + 5) as [
        ...[number, number, number, number, number],
      ];
      const [first, second] = [state[filter]!, state[filter + 2]!];
      state[filter] = f32(f32(f32(in1 * value) + second) - f32(a1 * first));
      state[filter + 2] = f32(f32(in2 * value) - f32(a2 * first));
      value = f32(f32(b0 * value) + first);
    }
    level.energy = f32(level.energy + f32(value * value));
    level.peak = Math.max(level.peak, Math.abs(sampleValue));
  }
  return levels;
}
