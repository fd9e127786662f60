import { decibelsToFactor } from '../../../audio/gain.ts';
import type { AudioStage, TrackClock } from './audio-stage.ts';
import type { DeliveryTracks } from './delivery-tracks.ts';

/** Corner frequency of the spectral tilt that follows vocal effort. */
const EFFORT_CORNER_HZ = 1500;
const EFFORT_HIGH_DB = 9;
const SOFT_HIGH_DB = 13;
/** Low band gain per unit of effort, so that effort changes the tilt and not only the level. */
const EFFORT_LOW_DB = -2;

/** Applies level and vocal effort to synthesized speech. Keeps the length; samples may exceed full scale. */
export class LevelStage implements AudioStage {
  readonly #tracks: DeliveryTracks;
  readonly #samplesPerStep: number;
  readonly #smoothing: number;
  #low = 0;
  #position: number;

  /** `firstSample` is the position of the first pushed sample on the time axis of the tracks. */
  constructor(tracks: DeliveryTracks, clock: TrackClock, firstSample = 0) {
    this.#position = firstSample;
    this.#tracks = tracks;
    this.#samplesPerStep = clock.samplesPerStep;
    this.#smoothing = 1 - Math.exp((-2 * Math.PI * EFFORT_CORNER_HZ) / clock.sampleRateHz);
  }

  /** Modifies the samples in place. */
  push(samples: Float32Array): Float32Array {
    const size = this.#samplesPerStep;
    const from = this.#position;
    this.#position += samples.length;
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
    return samples;
  }

  flush(): Float32Array {
    return new Float32Array(0);
  }

  #gains(step: number): { low: number; high: number } {
    const at = Math.max(0, Math.min(this.#tracks.length - 1, step));
    const level = this.#tracks.levelDb[at] ?? 0;
    const effort = this.#tracks.effort[at] ?? 0;
    return {
      low: decibelsToFactor(level + effort * EFFORT_LOW_DB),
      high: decibelsToFactor(level + effort * (effort > 0 ? EFFORT_HIGH_DB : SOFT_HIGH_DB)),
    };
  }
}
