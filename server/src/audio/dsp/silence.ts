import { decibelsToFactor } from '../gain.ts';
import { joinSamples } from '../pcm.ts';
import { SampleQueue } from '../sample-queue.ts';

const FRAME_SECONDS = 0.005;
const FADE_SECONDS = 0.005;
/** Mean squares above which a frame is sound: -50 dBFS, and once there is sound -56. */
const OPEN_THRESHOLD = decibelsToFactor(-50) ** 2;
const CLOSE_THRESHOLD = decibelsToFactor(-56) ** 2;

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
  readonly #frameSamples: number;
  readonly #fadeSamples: number;
  /** The start of a frame that is not whole yet. */
  #unframed: Float32Array = new Float32Array(0);
  #hasSound = false;
  #isOpen = false;
  #trimmedLeading = 0;
  #keptLeading = 0;
  /** What may yet be cut or faded: quiet, and before it the end of the last sound. */
  #held = new SampleQueue();
  #heldSound = 0;

  constructor({ sampleRateHz, keepLeadingSeconds }: SilenceTrimmerOptions) {
    this.#sampleRateHz = sampleRateHz;
    this.#keepLeading = Math.round(keepLeadingSeconds * sampleRateHz);
    this.#frameSamples = Math.max(1, Math.round(FRAME_SECONDS * sampleRateHz));
    this.#fadeSamples = Math.max(1, Math.round(FADE_SECONDS * sampleRateHz));
  }

  /** How many samples were cut off before the first sound. What is timed by the piece moves by this much. */
  get trimmedLeadingSamples(): number {
    return this.#trimmedLeading;
  }

  /** How many samples of quiet stand before the first sound. */
  get keptLeadingSamples(): number {
    return this.#keptLeading;
  }

  /** Takes the next samples, which must not change afterwards, and returns those that are sure to stay. */
  process(samples: Float32Array): Float32Array {
    const ready = new SampleQueue();
    const rest = this.#completeFrame(samples, ready);
    const end = rest.length - (rest.length % this.#frameSamples);
    // Neighbouring frames of a kind are handled as one run: far fewer arrays than frames.
    for (let from = 0; from < end; ) {
      const isOpen = this.#isSound(rest, from);
      this.#isOpen = isOpen;
      let to = from + this.#frameSamples;
      while (to < end && this.#isSound(rest, to) === isOpen) to += this.#frameSamples;
      this.#endRun(rest.subarray(from, to), ready);
      from = to;
    }
    if (end < rest.length) this.#unframed = rest.slice(end);
    return ready.takeAll();
  }

  /** Ends the frame that the last call began, and returns the samples after it. */
  #completeFrame(samples: Float32Array, ready: SampleQueue): Float32Array {
    if (this.#unframed.length === 0) return samples;
    const missing = this.#frameSamples - this.#unframed.length;
    const frame = joinSamples([this.#unframed, samples.subarray(0, missing)]);
    if (samples.length < missing) {
      this.#unframed = frame;
      return samples.subarray(samples.length);
    }
    this.#unframed = new Float32Array(0);
    this.#isOpen = this.#isSound(frame, 0);
    this.#endRun(frame, ready);
    return samples.subarray(missing);
  }

  /** Ends the piece: its last sound, then exactly this much quiet. A piece without sound is only the quiet. */
  finish(pauseSeconds: number): Float32Array {
    const ready = new SampleQueue();
    if (this.#unframed.length > 0) {
      this.#isOpen = isLouder(this.#unframed, 0, this.#unframed.length, this.#threshold());
      this.#endRun(this.#unframed, ready);
    }
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

  #isSound(samples: Float32Array, from: number): boolean {
    return isLouder(samples, from, from + this.#frameSamples, this.#threshold());
  }

  #threshold(): number {
    return this.#isOpen ? CLOSE_THRESHOLD : OPEN_THRESHOLD;
  }

  /** Takes frames that are all sound or all quiet. */
  #endRun(run: Float32Array, ready: SampleQueue): void {
    this.#held.push(run);
    if (this.#isOpen) {
      if (!this.#hasSound) this.#startSound(this.#held.length - run.length);
      this.#heldSound = Math.min(this.#fadeSamples, this.#held.length);
      this.#held.moveTo(ready, this.#held.length - this.#heldSound);
    } else if (!this.#hasSound) {
      this.#trimmedLeading += this.#held.drop(this.#held.length - this.#keepLeading);
    }
  }

  #startSound(quietBefore: number): void {
    this.#hasSound = true;
    this.#keptLeading = quietBefore;
    const opening = this.#held.takeAll().slice();
    fadeIn(opening, this.#fadeSamples);
    this.#held.push(opening);
  }
}

/** Whether the mean square of the samples `from` to `to` is above a level. */
function isLouder(samples: Float32Array, from: number, to: number, meanSquare: number): boolean {
  // Two sums, so that no addition waits for the one before.
  let even = 0;
  let odd = 0;
  for (let i = from; i + 1 < to; i += 2) {
    even += (samples[i] as number) * (samples[i] as number);
    odd += (samples[i + 1] as number) * (samples[i + 1] as number);
  }
  const last = (to - from) % 2 === 1 ? (samples[to - 1] as number) : 0;
  return (even + odd + last * last) / (to - from) > meanSquare;
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
