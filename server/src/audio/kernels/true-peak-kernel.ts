import { WasmModule } from './wasm-module.ts';

/** Searches samples for true peaks. Calls are synchronous, so any number of streams can share it. */
export interface TruePeakKernel {
  /** Input buffer; the caller fills it before a search. */
  readonly buffer: Float32Array;
  /** The index of the first sample in [`from`, `to`) whose magnitude is above `level`; `to` when there is none. */
  findSample(from: number, to: number, level: number): number;
  /**
   * The index of the first sample in [`from`, `to`) that completes a peak above `level`; `to` when there is none. The
   * last of the taps is at that sample. A peak is the magnitude of the sample at `TRUE_PEAK_CENTRE_TAP`, or of one of
   * the interpolated points after it.
   */
  findPeak(from: number, to: number, level: number): number;
}

/** Interpolation filters: one for each point between two samples. The source of the kernel has the same numbers. */
export const TRUE_PEAK_FILTERS = 3;
export const TRUE_PEAK_TAPS = 12;
/** The tap at the sample of a peak, or at the last sample before it. */
export const TRUE_PEAK_CENTRE_TAP = 5;

const SAMPLES_PER_ITERATION = 4;

const truePeak = new WasmModule<'findSample' | 'findPeak'>('true-peak.wasm');

export function createTruePeakKernel(filters: readonly Float64Array[], capacity: number): TruePeakKernel {
  const bufferAt = 4 * TRUE_PEAK_FILTERS * TRUE_PEAK_TAPS;
  // The last iteration may read samples after the end of the buffer.
  const { memory, functions } = truePeak.instantiate(bufferAt + 4 * (capacity + SAMPLES_PER_ITERATION));
  const coefficients = new Float32Array(memory, 0, TRUE_PEAK_FILTERS * TRUE_PEAK_TAPS);
  for (const [index, filter] of filters.entries()) coefficients.set(filter, index * TRUE_PEAK_TAPS);
  const addressOf = (index: number) => bufferAt + 4 * index;
  const indexOf = (address: number) => (address - bufferAt) / 4;
  return {
    buffer: new Float32Array(memory, bufferAt, capacity),
    findSample: (from, to, level) => indexOf(functions.findSample(addressOf(from), addressOf(to), level)),
    findPeak: (from, to, level) => indexOf(functions.findPeak(addressOf(from), addressOf(to), level)),
  };
}
