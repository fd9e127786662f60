import {
  createTruePeakKernel,
  TRUE_PEAK_CENTRE_TAP,
  TRUE_PEAK_FILTERS,
  TRUE_PEAK_TAPS,
} from '../kernels/true-peak-kernel.ts';
import { kaiserBeta, kaiserWindow, sinc } from './kaiser.ts';

/** Interpolation filters for the points between two samples. */
const FILTERS = Array.from({ length: TRUE_PEAK_FILTERS }, (_, index) => {
  const fraction = (index + 1) / (TRUE_PEAK_FILTERS + 1);
  const filter = Float64Array.from({ length: TRUE_PEAK_TAPS }, (__, tap) => {
    const distance = tap - TRUE_PEAK_CENTRE_TAP - fraction;
    return sinc(distance) * kaiserWindow(distance / (TRUE_PEAK_TAPS / 2), kaiserBeta(55));
  });
  const sum = filter.reduce((total, value) => total + value, 0);
  return filter.map((value) => value / sum);
});

/** The highest ratio of an interpolated point to the samples around it. */
const MAX_OVERSHOOT = Math.max(
  ...FILTERS.map((filter) => filter.reduce((total, value) => total + Math.abs(value), 0)),
);

/** Length of the input buffer of all detectors. */
export const TRUE_PEAK_BUFFER_SAMPLES = 32_768;
const kernel = createTruePeakKernel(FILTERS, TRUE_PEAK_BUFFER_SAMPLES);

/**
 * Finds true peaks, the peaks after digital-to-analogue conversion, by fourfold oversampling (ITU-R BS.1770, annex 2).
 * Reports only peaks above a threshold and interpolates only near samples that are high enough for one, which saves
 * nearly all of the work. A peak is complete with the sample that is `latencySamples` after it.
 */
export class TruePeakDetector {
  static readonly latencySamples = TRUE_PEAK_TAPS - 1 - TRUE_PEAK_CENTRE_TAP;
  /** Samples before the newest one that the filters read. */
  static readonly memorySamples = TRUE_PEAK_TAPS - 1;

  readonly #threshold: number;
  /** A peak above the threshold has at least one sample above this level among its taps. */
  readonly #candidateLevel: number;

  constructor(threshold: number) {
    this.#threshold = threshold;
    this.#candidateLevel = threshold / MAX_OVERSHOOT;
  }

  /** The input buffer. All detectors share it; it is valid for one synchronous use. */
  get buffer(): Float32Array {
    return kernel.buffer;
  }

  /**
   * The index of the first sample of the buffer in [`from`, `to`) that completes a peak above the threshold, or `to`.
   * The buffer holds `memorySamples` before `from`.
   */
  findPeak(from: number, to: number): number {
    let index = from;
    let candidate = kernel.findSample(from - TruePeakDetector.memorySamples, to, this.#candidateLevel);
    while (candidate < to) {
      index = Math.max(index, candidate);
      const end = Math.min(candidate + TRUE_PEAK_TAPS, to);
      index = index < end ? kernel.findPeak(index, end, this.#threshold) : index;
      if (index < end) return index;
      candidate = kernel.findSample(candidate + 1, to, this.#candidateLevel);
    }
    return to;
  }

  /** The level of the peak that the sample at an index of the buffer completes. */
  peakAt(index: number): number {
    const { buffer } = kernel;
    const start = index - TruePeakDetector.memorySamples;
    let peak = Math.abs(buffer[start + TRUE_PEAK_CENTRE_TAP] as number);
    for (const filter of FILTERS) {
      let value = 0;
      for (let tap = 0; tap < TRUE_PEAK_TAPS; tap++) {
        value += (buffer[start + tap] as number) * (filter[tap] as number);
      }
      peak = Math.max(peak, Math.abs(value));
    }
    return peak;
  }
}
