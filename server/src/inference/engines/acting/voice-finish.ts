import { decibelsToFactor } from '../../../audio/gain.ts';
import type { DeliveryTracks } from './tracks.ts';
import type { VoiceClock, VoiceStage } from './voice-stage.ts';

/** Above this the voice brightens with effort and dulls without. */
const EFFORT_CORNER_HZ = 1500;
const BRIGHT_DB = 9;
const DULL_DB = 13;
/** What the bright part gains the dull part loses a little of, so that effort is not just level. */
const EFFORT_LOW_DB = -2;

/** Gives finished speech its level and its effort. Keeps the length; samples may pass full scale. */
export class VoiceFinish implements VoiceStage {
  readonly #tracks: DeliveryTracks;
  readonly #samplesPerStep: number;
  readonly #smoothing: number;
  #low = 0;
  #position: number;

  /** The first sample that comes is this one of the tracks' time. */
  constructor(tracks: DeliveryTracks, clock: VoiceClock, firstSample = 0) {
    this.#position = firstSample;
    this.#tracks = tracks;
    this.#samplesPerStep = clock.samplesPerStep;
    this.#smoothing = 1 - Math.exp((-2 * Math.PI * EFFORT_CORNER_HZ) / clock.sampleRateHz);
  }

  /** Changes the samples in place. */
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
      high: decibelsToFactor(level + effort * (effort > 0 ? BRIGHT_DB : DULL_DB)),
    };
  }
}
