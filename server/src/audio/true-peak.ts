import { kaiserBeta, kaiserWindow, sinc } from './kaiser.ts';

const OVERSAMPLING = 4;
const TAPS = 12;
const HALF = TAPS / 2;

/** Interpolation filters for the points between two samples. */
const FILTERS = Array.from({ length: OVERSAMPLING - 1 }, (_, index) => {
  const fraction = (index + 1) / OVERSAMPLING;
  const filter = Float64Array.from({ length: TAPS }, (__, tap) => {
    const distance = tap - (HALF - 1) - fraction;
    return sinc(distance) * kaiserWindow(distance / HALF, kaiserBeta(55));
  });
  const sum = filter.reduce((total, value) => total + value, 0);
  return filter.map((value) => value / sum);
});

/** How far a point between samples can be above the samples around it. */
const MAX_OVERSHOOT = Math.max(
  ...FILTERS.map((filter) => filter.reduce((total, value) => total + Math.abs(value), 0)),
);

/**
 * Finds peaks as they will be after digital-to-analogue conversion, by fourfold oversampling (ITU-R
 * BS.1770, annex 2). Only levels above the threshold matter to the caller; below it the sample's own
 * level is returned, which saves nearly all the work.
 */
export class TruePeakDetector {
  /** How many samples later the peak at a sample is known. */
  static readonly latencySamples = HALF;
  /** How many samples it remembers. */
  static readonly memorySamples = TAPS;

  /** Up to here no sample can be part of a peak above the threshold. */
  readonly hotLevel: number;
  /** The last samples, twice over, so that a window of them is always contiguous. */
  readonly #recent = new Float64Array(2 * TAPS);
  #slot = 0;
  #sinceHot = TAPS;

  constructor(threshold: number) {
    this.hotLevel = threshold / MAX_OVERSHOOT;
  }

  /** Whether none of the samples in sight is above `hotLevel`. */
  get isCool(): boolean {
    return this.#sinceHot >= TAPS;
  }

  /** Takes the next sample and returns the peak around the one `latencySamples` before it. */
  next(sample: number): number {
    const recent = this.#recent;
    recent[this.#slot] = sample;
    recent[this.#slot + TAPS] = sample;
    this.#slot = (this.#slot + 1) % TAPS;
    this.#sinceHot = Math.abs(sample) > this.hotLevel ? 0 : this.#sinceHot + 1;
    const start = this.#slot;
    let peak = Math.abs(recent[start + HALF - 1] as number);
    if (this.#sinceHot >= TAPS) return peak;
    for (const filter of FILTERS) {
      let value = 0;
      for (let tap = 0; tap < TAPS; tap++) {
        value += (recent[start + tap] as number) * (filter[tap] as number);
      }
      peak = Math.max(peak, Math.abs(value));
    }
    return peak;
  }
}
