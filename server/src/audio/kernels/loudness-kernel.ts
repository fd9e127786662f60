import { WasmModule } from './wasm-module.ts';

/** Multiplies samples by a gain that changes linearly. Calls are synchronous, so any number of streams can share it. */
export interface GainRampKernel {
  /** Maximum number of samples of a call. */
  readonly capacity: number;
  /** Input buffer; the caller fills it before `run`. */
  readonly input: Float32Array;
  /** Output buffer; `run` fills it from the start. */
  readonly output: Float32Array;
  /** The gain is `gain + slope * index`; the first sample has the index `from`. */
  run(count: number, ramp: { readonly gain: number; readonly slope: number; readonly from: number }): void;
}

/** Two biquads in series, and the energy of their output. Calls are synchronous, so any number of streams can share it. */
export interface BiquadEnergyKernel {
  /** Maximum number of samples of a call. */
  readonly capacity: number;
  /** Input buffer; the caller fills it before `run`. */
  readonly input: Float32Array;
  /** For both biquads b0, b1 - a1 b0, b2 - a2 b0, a1 and a2; the caller fills it before `run`. */
  readonly coefficients: Float64Array;
  /** The first state of both biquads, then the second one; the caller fills it before `run`, which updates it. */
  readonly state: Float64Array;
  /** Returns `energy` and the sum of the squares of the output of `count` samples. */
  run(count: number, energy: number): number;
}

/** Energies and peaks of steps of equal length. Calls are synchronous, so any number of streams can share it. */
export interface StepLevelsKernel {
  /** Maximum number of samples of a call, and of steps. */
  readonly capacity: number;
  readonly maxSteps: number;
  /** Input buffer; the caller fills it before `run`. */
  readonly input: Float32Array;
  /** For each biquad b0, b1 - a1 b0, b2 - a2 b0, a1 and a2, in four lanes; the caller fills it before `run`. */
  readonly coefficients: Float32Array;
  /**
   * Measures steps of `stepSamples` samples, divided into `LEVEL_LANES` stretches of `steps` steps, each of which is
   * filtered from silence. The levels of a step of all stretches are next to each other: their energies after two biquads in
   * series, then their peaks. They are valid until the next call.
   */
  run(steps: number, stepSamples: number): Float32Array;
}

/** Stretches that are filtered at once. */
export const LEVEL_LANES = 4;

const SAMPLES_PER_ITERATION = 4;
const COEFFICIENTS = 10;
const STATES = 4;

const loudness = new WasmModule<'levels' | 'ramp' | 'weigh'>('loudness.wasm');

/** `capacity` is a multiple of 4. */
export function createGainRampKernel(capacity: number): GainRampKernel {
  const outputAt = 4 * capacity;
  const { memory, functions } = loudness.instantiate(outputAt + 4 * capacity);
  return {
    capacity,
    input: new Float32Array(memory, 0, capacity),
    output: new Float32Array(memory, outputAt, capacity),
    run(count, { gain, slope, from }) {
      if (count === 0) return;
      const iterations = Math.ceil(count / SAMPLES_PER_ITERATION);
      functions.ramp(0, 4 * SAMPLES_PER_ITERATION * iterations, outputAt, gain, slope, from);
    },
  };
}

export function createBiquadEnergyKernel(capacity: number): BiquadEnergyKernel {
  const inputAt = 8 * (COEFFICIENTS + STATES);
  const { memory, functions } = loudness.instantiate(inputAt + 4 * capacity);
  return {
    capacity,
    input: new Float32Array(memory, inputAt, capacity),
    coefficients: new Float64Array(memory, 0, COEFFICIENTS),
    state: new Float64Array(memory, 8 * COEFFICIENTS, STATES),
    run(count, energy) {
      return count === 0 ? energy : functions.weigh(inputAt, inputAt + 4 * count, energy);
    },
  };
}

/** `maxSteps` is a multiple of `LEVEL_LANES`. */
export function createStepLevelsKernel(capacity: number, maxSteps: number): StepLevelsKernel {
  const outputAt = 4 * LEVEL_LANES * COEFFICIENTS;
  const inputAt = outputAt + 8 * maxSteps;
  const { memory, functions } = loudness.instantiate(inputAt + 4 * capacity);
  const output = new Float32Array(memory, outputAt, 2 * maxSteps);
  return {
    capacity,
    maxSteps,
    input: new Float32Array(memory, inputAt, capacity),
    coefficients: new Float32Array(memory, 0, LEVEL_LANES * COEFFICIENTS),
    run(steps, stepSamples) {
      if (steps > 0) functions.levels(inputAt, steps, 4 * stepSamples, outputAt);
      return output;
    },
  };
}
