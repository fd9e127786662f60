import { WasmModule } from './wasm-module.ts';

/** The state of a limiter whose gain is released. */
export interface GainRelease {
  readonly heldGain: number;
  /** Sum of the values of the moving average. */
  readonly sum: number;
  /** Index of the oldest value of the moving average. */
  readonly slot: number;
  /** Share of its distance to 1 that the held gain moves with each sample. */
  readonly factor: number;
  /** The release stops when the held gain is above this. */
  readonly limit: number;
}

/** Releases the gain of a limiter. Calls are synchronous, so any number of streams can share it. */
export interface GainReleaseKernel {
  /** Samples; the caller fills them before `run`, which multiplies them by the averaged gain. */
  readonly samples: Float32Array;
  /** Held gain and sum after `run`. */
  readonly state: Float64Array;
  /** Values of the moving average; the caller fills them before `run`, which updates them. */
  readonly gains: Float64Array;
  /** Processes at most `count` samples with an average of `length` values. Returns how many it has processed. */
  run(count: number, length: number, release: GainRelease): number;
}

const STATES = 2;

const gainRelease = new WasmModule<'release'>('gain-release.wasm');

/** `samples` and `gains` are the maximum numbers of samples and of values of the moving average. */
export function createGainReleaseKernel(capacity: {
  readonly samples: number;
  readonly gains: number;
}): GainReleaseKernel {
  const gainsAt = 8 * STATES;
  const samplesAt = gainsAt + 8 * capacity.gains;
  const { memory, functions } = gainRelease.instantiate(samplesAt + 4 * capacity.samples);
  const state = new Float64Array(memory, 0, STATES);
  return {
    samples: new Float32Array(memory, samplesAt, capacity.samples),
    gains: new Float64Array(memory, gainsAt, capacity.gains),
    state,
    run(count, length, { heldGain, sum, slot, factor, limit }) {
      state[0] = heldGain;
      state[1] = sum;
      const to = samplesAt + 4 * count;
      const ringEnd = gainsAt + 8 * length;
      const end = functions.release(
        samplesAt,
        to,
        gainsAt,
        ringEnd,
        gainsAt + 8 * slot,
        length,
        factor,
        limit,
      );
      return (end - samplesAt) / 4;
    },
  };
}
