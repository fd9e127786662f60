import { decibelsToFactor } from './gain.ts';
import { SampleQueue } from './sample-queue.ts';

const FRAME_SECONDS = 0.005;
const FADE_SECONDS = 0.005;
const OPEN_THRESHOLD_DBFS = -50;
const CLOSE_THRESHOLD_DBFS = -56;

/** Silence of a given length. */
export function pause(seconds: number, sampleRateHz: number): Float32Array {
  return new Float32Array(Math.max(0, Math.round(seconds * sampleRateHz)));
}

/** How a piece shall be trimmed. */
export interface SilenceTrimmerOptions {
  readonly sampleRateHz: number;
  /** How much of the quiet before the first sound stays. It protects soft onsets. */
  readonly keepLeadingSeconds: number;
}

/**
 * Trims one piece of speech so that it can be joined to others: quiet before the first sound is cut to
 * a given length, and the quiet after the last sound is replaced by a pause of a given length. Quiet
 * between sounds is held back until it is known to be between. Both ends are faded, so that no join
 * clicks. The output does not depend on how the input is cut into calls.
 */
export class SilenceTrimmer {
  readonly #sampleRateHz: number;
  readonly #keepLeading: number;
  readonly #frame: Float32Array;
  readonly #fadeSamples: number;
  #frameFill = 0;
  #hasSound = false;
  #isOpen = false;
  #trimmedLeading = 0;
  /** What may yet be cut or faded: quiet, and before it the end of the last sound. */
  #held = new SampleQueue();
  #heldSound = 0;

  constructor({ sampleRateHz, keepLeadingSeconds }: SilenceTrimmerOptions) {
    this.#sampleRateHz = sampleRateHz;
    this.#keepLeading = Math.round(keepLeadingSeconds * sampleRateHz);
    this.#frame = new Float32Array(Math.max(1, Math.round(FRAME_SECONDS * sampleRateHz)));
    this.#fadeSamples = Math.max(1, Math.round(FADE_SECONDS * sampleRateHz));
  }

  /** How many samples were cut off before the first sound. What is timed by the piece moves by this much. */
  get trimmedLeadingSamples(): number {
    return this.#trimmedLeading;
  }

  /** Takes the next samples and returns those that are sure to stay. */
  process(samples: Float32Array): Float32Array {
    const ready = new SampleQueue();
    for (let offset = 0; offset < samples.length; ) {
      const count = Math.min(this.#frame.length - this.#frameFill, samples.length - offset);
      this.#frame.set(samples.subarray(offset, offset + count), this.#frameFill);
      this.#frameFill += count;
      offset += count;
      if (this.#frameFill === this.#frame.length) this.#endFrame(ready);
    }
    return ready.takeAll();
  }

  /** Ends the piece: its last sound, then exactly this much quiet. A piece without sound is only the quiet. */
  finish(pauseSeconds: number): Float32Array {
    const ready = new SampleQueue();
    if (this.#frameFill > 0) this.#endFrame(ready);
    const pauseSamples = pause(pauseSeconds, this.#sampleRateHz).length;
    if (!this.#hasSound) {
      this.#trimmedLeading += this.#held.length;
      return new Float32Array(pauseSamples);
    }
    const ending = this.#held.takeAll().slice(0, this.#heldSound + pauseSamples);
    fadeOut(ending, this.#fadeSamples);
    ready.push(ending);
    ready.push(new Float32Array(this.#heldSound + pauseSamples - ending.length));
    return ready.takeAll();
  }

  #endFrame(ready: SampleQueue): void {
    const frame = this.#frame.slice(0, this.#frameFill);
    this.#frameFill = 0;
    const threshold = this.#isOpen ? CLOSE_THRESHOLD_DBFS : OPEN_THRESHOLD_DBFS;
    this.#isOpen = meanSquare(frame) > decibelsToFactor(threshold) ** 2;
    if (this.#isOpen && !this.#hasSound) this.#startSound(frame);
    else this.#held.push(frame);
    if (this.#isOpen) {
      this.#heldSound = Math.min(this.#fadeSamples, this.#held.length);
      ready.push(this.#held.take(this.#held.length - this.#heldSound));
    } else if (!this.#hasSound) {
      this.#trimmedLeading += this.#held.drop(this.#held.length - this.#keepLeading);
    }
  }

  #startSound(frame: Float32Array): void {
    this.#hasSound = true;
    this.#held.push(frame);
    const opening = this.#held.takeAll();
    fadeIn(opening, this.#fadeSamples);
    this.#held.push(opening);
  }
}

function meanSquare(samples: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < samples.length; i++) sum += (samples[i] as number) ** 2;
  return sum / samples.length;
}

/** Fades the first `length` samples in, by half a cosine. */
export function fadeIn(samples: Float32Array, length: number): void {
  const count = Math.min(length, samples.length);
  for (let i = 0; i < count; i++) {
    samples[i] = (samples[i] as number) * (0.5 - 0.5 * Math.cos((Math.PI * (i + 0.5)) / count));
  }
}

/** Fades the last `length` samples out, by half a cosine. */
export function fadeOut(samples: Float32Array, length: number): void {
  const count = Math.min(length, samples.length);
  const last = samples.length - 1;
  for (let i = 0; i < count; i++) {
    samples[last - i] = (samples[last - i] as number) * (0.5 - 0.5 * Math.cos((Math.PI * (i + 0.5)) / count));
  }
}
