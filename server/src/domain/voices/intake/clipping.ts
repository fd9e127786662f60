const BINS = 2000;
const HIGHEST = 1.25;

// Of sound that was not cut off, hardly one sample in ten thousand comes so near to the highest.
const NEAR_PEAK = 0.985;

/** Counts how many samples lie at the very top of a recording, where cutting-off piles them up. */
export class ClippingMeter {
  readonly #histogram = new Float64Array(BINS);
  #total = 0;

  push(samples: Float32Array): void {
    for (let i = 0; i < samples.length; i++) {
      const bin = Math.min(BINS - 1, Math.floor((Math.abs(samples[i] as number) / HIGHEST) * BINS));
      this.#histogram[bin] = (this.#histogram[bin] as number) + 1;
    }
    this.#total += samples.length;
  }

  /** The share of samples near the highest. Quiet recordings count as not cut off. */
  share(): number {
    const top = this.#histogram.findLastIndex((count) => count > 0);
    if (top < BINS * (0.2 / HIGHEST)) return 0;
    let near = 0;
    for (let bin = Math.floor(top * NEAR_PEAK); bin <= top; bin++) near += this.#histogram[bin] as number;
    return near / this.#total;
  }
}
