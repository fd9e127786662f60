import { decibelsToFactor } from '../../audio/gain.ts';
import type { DeliveryTracks } from './tracks.ts';

/** Above this the voice brightens with effort and dulls without. */
const EFFORT_CORNER_HZ = 1500;
const EFFORT_HIGH_DB = 9;
/** What the bright part gains the dull part loses a little of, so that effort is not just level. */
const EFFORT_LOW_DB = -2;

/** Gives finished speech its level and its effort. Keeps the length; samples may pass full scale. */
export class VoiceFinish {
  readonly #tracks: DeliveryTracks;
  readonly #samplesPerStep: number;
  readonly #smoothing: number;
  #low = 0;

  constructor(
    tracks: DeliveryTracks,
    clock: { readonly sampleRateHz: number; readonly samplesPerStep: number },
  ) {
    this.#tracks = tracks;
    this.#samplesPerStep = clock.samplesPerStep;
    this.#smoothing = 1 - Math.exp((-2 * Math.PI * EFFORT_CORNER_HZ) / clock.sampleRateHz);
  }

  /** Changes the samples in place; the first of them is at this sample of the tracks' time. */
  process(samples: Float32Array, from: number): void {
    const size = this.#samplesPerStep;
    for (let at = 0; at < samples.length; ) {
      const step = Math.floor((from + at) / size);
      const end = Math.min(samples.length, (step + 1) * size - from);
      const [here, next] = [this.#gains(step), this.#gains(step + 1)];
      for (; at < end; at++) {
        const share = (from + at - step * size) / size;
        const sample = samples[at]!;
        this.#low += this.#smoothing * (sample - this.#low);
        const high = sample - this.#low;
        samples[at] =
          this.#low * (here.low + (next.low - here.low) * share) +
          high * (here.high + (next.high - here.high) * share);
      }
    }
  }

  #gains(step: number): { low: number; high: number } {
    const at = Math.max(0, Math.min(this.#tracks.length - 1, step));
    const level = this.#tracks.levelDb[at] ?? 0;
    const effort = this.#tracks.effort[at] ?? 0;
    return {
      low: decibelsToFactor(level + effort * EFFORT_LOW_DB),
      high: decibelsToFactor(level + effort * EFFORT_HIGH_DB),
    };
  }
}
