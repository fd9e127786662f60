import { decibelsToFactor } from '../gain.ts';
import { joinSamples } from '../pcm.ts';
import { SampleQueue } from '../sample-queue.ts';

const FRAME_SECONDS = 0.005;
const FADE_SECONDS = 0.005;
/** Thresholds of the mean square with hysteresis: a frame is active above -50 dBFS, and after an active frame above -56. */
const START_THRESHOLD = decibelsToFactor(-50) ** 2;
const CONTINUE_THRESHOLD = decibelsToFactor(-56) ** 2;
/** Level of breath and noise after the last word over 20 ms, relative to the loudest frame. */
const QUIET_FACTOR = decibelsToFactor(-28) ** 2;
const QUIET_FRAMES = 4;

/** Creates silence. */
export function createSilence(seconds: number, sampleRateHz: number): Float32Array {
  return new Float32Array(Math.max(0, Math.round(seconds * sampleRateHz)));
}

export interface SilenceTrimmerOptions {
  readonly sampleRateHz: number;
  /** Silence to keep before the first active frame. It protects soft onsets. */
  readonly keepLeadingSeconds: number;
}

/**
 * Trims one piece of speech for joining: leading silence is shortened to a given length, and trailing silence is replaced
 * by a pause of a given length. Silence after an active frame is held back until the next active frame or the end. Both
 * ends are faded, so that joins do not click. The output does not depend on how the input is divided into calls.
 */
export class SilenceTrimmer {
  readonly #sampleRateHz: number;
  readonly #keepLeading: number;
  readonly #frameSamples: number;
  readonly #fadeSamples: number;
  /** The start of an incomplete frame. */
  #partialFrame: Float32Array = new Float32Array(0);
  #hasStarted = false;
  #isActive = false;
  #trimmedLeading = 0;
  #keptLeading = 0;
  /** Samples that may still be trimmed or faded: the end of the last active frames, then silence. */
  #held = new SampleQueue();
  #heldActive = 0;
  /** Mean squares of the last frames and of the loudest frame, and samples since the last frame that is not quiet. */
  readonly #recent = new Float64Array(QUIET_FRAMES);
  #examined = 0;
  #loudest = 0;
  #quiet = 0;

  constructor({ sampleRateHz, keepLeadingSeconds }: SilenceTrimmerOptions) {
    this.#sampleRateHz = sampleRateHz;
    this.#keepLeading = Math.round(keepLeadingSeconds * sampleRateHz);
    this.#frameSamples = Math.max(1, Math.round(FRAME_SECONDS * sampleRateHz));
    this.#fadeSamples = Math.max(1, Math.round(FADE_SECONDS * sampleRateHz));
  }

  /** Leading samples that were removed. Times within the piece shift by this much. */
  get trimmedLeadingSamples(): number {
    return this.#trimmedLeading;
  }

  /** Samples of silence before the first active frame. */
  get keptLeadingSamples(): number {
    return this.#keptLeading;
  }

  /** Samples of breath and noise at the end of the active frames. They sound like a part of the pause after them. */
  get quietTailSamples(): number {
    return Math.max(0, this.#quiet - (this.#held.length - this.#heldActive));
  }

  /** Takes the next samples, which must not be modified until the output is used, and returns those that are final. */
  process(samples: Float32Array): Float32Array {
    const ready = new SampleQueue();
    const rest = this.#completeFrame(samples, ready);
    const end = rest.length - (rest.length % this.#frameSamples);
    // Consecutive active or inactive frames are processed as one run, which saves arrays.
    let from = 0;
    for (let at = 0; at < end; at += this.#frameSamples) {
      const isActive = this.#examineFrame(rest, at);
      if (isActive !== this.#isActive && at > from) {
        this.#processRun(rest.subarray(from, at), ready);
        from = at;
      }
      this.#isActive = isActive;
    }
    if (end > from) this.#processRun(rest.subarray(from, end), ready);
    if (end < rest.length) this.#partialFrame = rest.slice(end);
    this.#held.detach();
    return ready.takeAll();
  }

  /** Completes the partial frame of the last call and returns the samples after it. */
  #completeFrame(samples: Float32Array, ready: SampleQueue): Float32Array {
    if (this.#partialFrame.length === 0) return samples;
    const missing = this.#frameSamples - this.#partialFrame.length;
    const frame = joinSamples([this.#partialFrame, samples.subarray(0, missing)]);
    if (samples.length < missing) {
      this.#partialFrame = frame;
      return samples.subarray(samples.length);
    }
    this.#partialFrame = new Float32Array(0);
    this.#isActive = this.#examineFrame(frame, 0);
    this.#processRun(frame, ready);
    return samples.subarray(missing);
  }

  /** Ends the piece with exactly this much silence after the last active frame. A silent piece gives only the pause. */
  finish(pauseSeconds: number): Float32Array {
    const ready = new SampleQueue();
    if (this.#partialFrame.length > 0) {
      this.#isActive = meanSquare(this.#partialFrame, 0, this.#partialFrame.length) > this.#threshold();
      this.#processRun(this.#partialFrame, ready);
    }
    const pauseSamples = createSilence(pauseSeconds, this.#sampleRateHz).length;
    if (!this.#hasStarted) {
      this.#trimmedLeading += this.#held.length;
      return new Float32Array(pauseSamples);
    }
    const ending = this.#held.takeAll().slice(0, this.#heldActive + pauseSamples);
    fadeOut(ending, this.#fadeSamples);
    ready.push(ending);
    ready.push(new Float32Array(this.#heldActive + pauseSamples - ending.length));
    return ready.takeAll();
  }

  /** Whether a frame is active. Each frame is examined once. */
  #examineFrame(samples: Float32Array, from: number): boolean {
    const power = meanSquare(samples, from, from + this.#frameSamples);
    this.#recent[this.#examined++ % QUIET_FRAMES] = power;
    this.#loudest = Math.max(this.#loudest, power);
    let recent = 0;
    for (const other of this.#recent) recent += other;
    const isQuiet = recent < this.#loudest * QUIET_FACTOR * QUIET_FRAMES;
    this.#quiet = isQuiet ? this.#quiet + this.#frameSamples : 0;
    return power > this.#threshold();
  }

  #threshold(): number {
    return this.#isActive ? CONTINUE_THRESHOLD : START_THRESHOLD;
  }

  /** Processes frames that are all active or all inactive. */
  #processRun(run: Float32Array, ready: SampleQueue): void {
    this.#held.push(run);
    if (this.#isActive) {
      if (!this.#hasStarted) this.#start(this.#held.length - run.length);
      this.#heldActive = Math.min(this.#fadeSamples, this.#held.length);
      this.#held.moveTo(ready, this.#held.length - this.#heldActive);
    } else if (!this.#hasStarted) {
      this.#trimmedLeading += this.#held.drop(this.#held.length - this.#keepLeading);
    }
  }

  #start(leadingSamples: number): void {
    this.#hasStarted = true;
    this.#keptLeading = leadingSamples;
    const onset = this.#held.takeAll().slice();
    fadeIn(onset, this.#fadeSamples);
    this.#held.push(onset);
  }
}

function meanSquare(samples: Float32Array, from: number, to: number): number {
  // Two sums, so that consecutive additions are independent.
  let even = 0;
  let odd = 0;
  for (let i = from; i + 1 < to; i += 2) {
    even += (samples[i] as number) * (samples[i] as number);
    odd += (samples[i + 1] as number) * (samples[i + 1] as number);
  }
  const last = (to - from) % 2 === 1 ? (samples[to - 1] as number) : 0;
  return (even + odd + last * last) / (to - from);
}

/** Fades in the first `length` samples with a raised cosine. */
export function fadeIn(samples: Float32Array, length: number): void {
  const count = Math.min(length, samples.length);
  for (let i = 0; i < count; i++) {
    samples[i] = (samples[i] as number) * (0.5 - 0.5 * Math.cos((Math.PI * (i + 0.5)) / count));
  }
}

/** Fades out the last `length` samples with a raised cosine. */
export function fadeOut(samples: Float32Array, length: number): void {
  const count = Math.min(length, samples.length);
  const last = samples.length - 1;
  for (let i = 0; i < count; i++) {
    samples[last - i] = (samples[last - i] as number) * (0.5 - 0.5 * Math.cos((Math.PI * (i + 0.5)) / count));
  }
}
