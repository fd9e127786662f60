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

const SAMPLES_PER_ITERATION = 4;
const COEFFICIENTS = 10;
const STATES = 4;

const loudness = new WasmModule<'ramp' | 'weigh'>('loudness.wasm');

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
