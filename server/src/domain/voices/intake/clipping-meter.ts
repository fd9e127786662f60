const BINS = 2000;
const HIGHEST = 1.25;

// In audio without clipping, fewer than one sample in 10,000 is this close to the peak.
const NEAR_PEAK = 0.985;

/** Measures clipping: the share of samples close to the peak, where clipping accumulates them. */
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

  /** Share of samples close to the peak. 0 for quiet recordings. */
  share(): number {
    const top = this.#histogram.findLastIndex((count) => count > 0);
    if (top < BINS * (0.2 / HIGHEST)) return 0;
    let near = 0;
    for (let bin = Math.floor(top * NEAR_PEAK); bin <= top; bin++) near += this.#histogram[bin] as number;
    return near / this.#total;
  }
}
