import { createPeakKernel, PEAK_FILTERS, PEAK_MIDDLE, PEAK_TAPS } from '../kernels/true-peak-kernel.ts';
import { kaiserBeta, kaiserWindow, sinc } from './kaiser.ts';

/** Interpolation filters for the points between two samples. */
const FILTERS = Array.from({ length: PEAK_FILTERS }, (_, index) => {
  const fraction = (index + 1) / (PEAK_FILTERS + 1);
  const filter = Float64Array.from({ length: PEAK_TAPS }, (__, tap) => {
    const distance = tap - PEAK_MIDDLE - fraction;
    return sinc(distance) * kaiserWindow(distance / (PEAK_TAPS / 2), kaiserBeta(55));
  });
  const sum = filter.reduce((total, value) => total + value, 0);
  return filter.map((value) => value / sum);
});

/** How far a point between samples can be above the samples around it. */
const MAX_OVERSHOOT = Math.max(
  ...FILTERS.map((filter) => filter.reduce((total, value) => total + Math.abs(value), 0)),
);

/** Samples that a line can hold. */
const LINE_CAPACITY = 32_768;
const kernel = createPeakKernel(FILTERS, LINE_CAPACITY);

/**
 * Finds peaks as they will be after digital-to-analogue conversion, by fourfold oversampling (ITU-R
 * BS.1770, annex 2). Only those above a threshold matter, and where no sample is near it there is none: that saves
 * nearly all the work. A peak is known with the sample that is `latencySamples` behind it.
 */
export class TruePeakDetector {
  static readonly latencySamples = PEAK_TAPS - 1 - PEAK_MIDDLE;
  /** How many samples before the newest it looks at. */
  static readonly memorySamples = PEAK_TAPS - 1;

  readonly #threshold: number;
  /** Up to here no sample can be part of a peak above the threshold. */
  readonly #hotLevel: number;

  constructor(threshold: number) {
    this.#threshold = threshold;
    this.#hotLevel = threshold / MAX_OVERSHOOT;
  }

  /** Where to put samples before looking for peaks. All detectors share it, each for one synchronous use. */
  get line(): Float32Array {
    return kernel.line;
  }

  /**
   * The first place of the line from `from` on with whose sample a peak above the threshold is known, or `to`. There
   * must be `memorySamples` before `from`.
   */
  next(from: number, to: number): number {
    let place = from;
    let hot = kernel.firstAbove(from - TruePeakDetector.memorySamples, to, this.#hotLevel);
    while (hot < to) {
      place = Math.max(place, hot);
      const end = Math.min(hot + PEAK_TAPS, to);
      place = place < end ? kernel.firstPeak(place, end, this.#threshold) : place;
      if (place < end) return place;
      hot = kernel.firstAbove(hot + 1, to, this.#hotLevel);
    }
    return to;
  }

  /** The peak that is known with the sample at a place of the line. */
  peakAt(place: number): number {
    const { line } = kernel;
    const start = place - TruePeakDetector.memorySamples;
    let peak = Math.abs(line[start + PEAK_MIDDLE] as number);
    for (const filter of FILTERS) {
      let value = 0;
      for (let tap = 0; tap < PEAK_TAPS; tap++) {
        value += (line[start + tap] as number) * (filter[tap] as number);
      }
      peak = Math.max(peak, Math.abs(value));
    }
    return peak;
  }
}
