import { createBendKernel, SAMPLES_BEFORE } from '../kernels/bend-kernel.ts';
import { joinSamples } from '../pcm.ts';

/** Bursts are looked for in steps of this length. */
const STEP_SECONDS = 0.001;
/** A burst and its ringing are no longer than this to either side of its sharpest sample. */
const BURST_SECONDS = 0.0015;
/** How many steps away from its sharpest sample a burst, or its ringing, may still be. */
const BURST_STEPS = 2;
/** Of a burst, this much to either side is softened fully; from there to its end ever less. */
const CORE_SECONDS = 0.001;
/** What sounds this close to a burst hides it: longer than a period of all but the lowest voices. */
const NEAR_SECONDS = 0.014;
/** Up to this many times as sharp as the sharpest sound near it, a burst is part of the speech around it. */
const SHARPNESS_MAX = 2;
/** Too faint to be noticed, whatever is around it. */
const FAINT_SHARPNESS = 0.01;
/** Length of the filter that parts the dull sound of a burst, which stays, from the sharp. */
const DULL_SECONDS = 0.0005;
/** Each attempt comes nearer to what is allowed; most need two. */
const ATTEMPTS_MAX = 8;

const BLOCK_SAMPLES = 8192;
const bends = createBendKernel(BLOCK_SAMPLES);

/**
 * Softens the bursts of finished speech that would be heard as clicks: a millisecond or two, mostly where a p, t or k is
 * released, that stands far above all sound around it. Only the high part of a burst is lowered, and only until it no longer
 * stands out; everything else comes out as it went in, some 17 ms later. Length is kept, and the output does not depend on
 * how the input is cut into calls.
 */
export class TransientSuppressor {
  readonly #step: number;
  readonly #burst: number;
  readonly #core: number;
  readonly #near: number;
  readonly #dullTaps: Float32Array;
  /** Steps on either side of a step that have a say in it. */
  readonly #nearSteps: number;
  /** What was sent but is still near, then what was not. It begins where a step does. */
  #line: Float32Array = new Float32Array(0);
  /** Steps of the line that are judged. */
  #judged = 0;
  /** Samples of the line that were sent. */
  #sent = 0;

  constructor({ sampleRateHz }: { readonly sampleRateHz: number }) {
    const samplesIn = (seconds: number) => Math.max(1, Math.round(seconds * sampleRateHz));
    this.#step = Math.max(4, samplesIn(STEP_SECONDS));
    this.#burst = samplesIn(BURST_SECONDS);
    this.#core = samplesIn(CORE_SECONDS);
    this.#near = samplesIn(NEAR_SECONDS);
    this.#dullTaps = hannTaps(samplesIn(DULL_SECONDS / 2));
    this.#nearSteps = Math.ceil(this.#near / this.#step) + 1;
  }

  /** Takes the next samples and returns those that are ready. */
  process(samples: Float32Array): Float32Array {
    this.#line = joinSamples([this.#line, samples]);
    return this.#advance(Math.floor(this.#line.length / this.#step) - this.#nearSteps);
  }

  /** The rest. Nothing may come afterwards. */
  flush(): Float32Array {
    const ready = this.#advance(Math.ceil(this.#line.length / this.#step));
    return joinSamples([ready, this.#line.subarray(this.#sent)]);
  }

  /** Judges the steps of the line before `stepEnd`, and returns what cannot change any more. */
  #advance(stepEnd: number): Float32Array {
    if (stepEnd <= this.#judged) return new Float32Array(0);
    const peaks = this.#stepPeaks();
    for (let step = this.#judged; step < stepEnd; step++) {
      const hidden = this.#surelyHidden(peaks, step);
      if (peaks[step]! > hidden && this.#softenIn(step, hidden)) this.#renew(peaks, step);
    }
    // A burst may begin before the step that its sharpest sample is in.
    const ready = Math.max(this.#sent, stepEnd * this.#step - this.#burst);
    const sent = this.#line.slice(this.#sent, ready);
    const dropped = Math.max(0, stepEnd - this.#nearSteps - 1);
    this.#line = this.#line.subarray(dropped * this.#step);
    this.#judged = stepEnd - dropped;
    this.#sent = ready - dropped * this.#step;
    return sent;
  }

  /** The sharpest place of every step of the line. */
  #stepPeaks(): Float32Array {
    const peaks = new Float32Array(Math.ceil(this.#line.length / this.#step));
    const whole = Math.floor(this.#line.length / this.#step);
    const room = Math.floor(BLOCK_SAMPLES / this.#step);
    for (let step = 0; step < whole; step += room) {
      const steps = Math.min(room, whole - step);
      this.#giveKernel(step * this.#step, (step + steps) * this.#step);
      bends.run(steps, this.#step);
      peaks.set(bends.output.subarray(0, steps), step);
    }
    if (whole < peaks.length) peaks[whole] = sharpest(this.#line, whole * this.#step, this.#line.length);
    return peaks;
  }

  #giveKernel(from: number, to: number): void {
    if (from >= SAMPLES_BEFORE) {
      bends.input.set(this.#line.subarray(from - SAMPLES_BEFORE, to));
      return;
    }
    // Before the line the wave goes straight on: nothing bends there.
    const [first, second] = this.#line as unknown as readonly [number, number];
    bends.input.set([3 * first - 2 * second, 2 * first - second]);
    bends.input.set(this.#line.subarray(from, to), SAMPLES_BEFORE);
  }

  /** A quick look: up to here nothing in a step stands out. It looks no further than it takes to know that of all of it. */
  #surelyHidden(peaks: Float32Array, step: number): number {
    const peak = peaks[step]!;
    const reach = this.#nearSteps - 2;
    let hidden = FAINT_SHARPNESS;
    for (let distance = BURST_STEPS + 1; distance <= reach && hidden < peak; distance++) {
      const before = step >= distance ? peaks[step - distance]! : 0;
      const after = step + distance < peaks.length ? peaks[step + distance]! : 0;
      hidden = Math.max(hidden, SHARPNESS_MAX * before, SHARPNESS_MAX * after);
    }
    return hidden;
  }

  /** Looks again at the steps that a burst around one may reach into. */
  #renew(peaks: Float32Array, step: number): void {
    const last = Math.min(step + BURST_STEPS, peaks.length - 1);
    for (let near = Math.max(0, step - BURST_STEPS); near <= last; near++) {
      peaks[near] = sharpest(this.#line, near * this.#step, (near + 1) * this.#step);
    }
  }

  /** Softens the burst around the sample of a step that stands out most, and says whether any does. */
  #softenIn(step: number, surelyHidden: number): boolean {
    let [at, allowed, excess] = [0, 0, 1];
    const end = Math.min(this.#line.length, (step + 1) * this.#step);
    for (let candidate = step * this.#step; candidate < end; candidate++) {
      const sharpness = sharpest(this.#line, candidate, candidate + 1);
      if (sharpness <= surelyHidden) continue;
      const hidden = this.#hiddenSharpness(candidate);
      if (sharpness / hidden > excess) [at, allowed, excess] = [candidate, hidden, sharpness / hidden];
    }
    if (excess > 1) this.#soften(at, allowed);
    return excess > 1;
  }

  /** How sharp a burst at a sample may be to be taken for a part of the sound around it. */
  #hiddenSharpness(at: number): number {
    const before = sharpest(this.#line, at - this.#near, at - this.#burst);
    const after = sharpest(this.#line, at + this.#burst + 1, at + this.#near);
    return Math.max(FAINT_SHARPNESS, SHARPNESS_MAX * Math.max(before, after));
  }

  /** Lowers the high part of the burst around a sample, until nothing of it is sharper than allowed. */
  #soften(at: number, allowed: number): void {
    const from = Math.max(0, at - this.#burst);
    const to = Math.min(this.#line.length, at + this.#burst);
    const original = this.#line.slice(from, to);
    const sharp = original.map((sample, index) => sample - this.#dullAt(from + index));
    let kept = 1;
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const peak = sharpest(this.#line, from, to);
      if (peak <= allowed) return;
      kept *= allowed / peak;
      for (let index = 0; index < original.length; index++) {
        const share = this.#shareAt(from + index - at);
        this.#line[from + index] = original[index]! - (1 - kept) * share * sharp[index]!;
      }
    }
  }

  /** How much of the softening a sample gets, by its distance from the middle of the burst. */
  #shareAt(distance: number): number {
    const beyond = Math.abs(distance) - this.#core;
    if (beyond <= 0) return 1;
    return 0.5 + 0.5 * Math.cos((Math.PI * beyond) / (this.#burst - this.#core));
  }

  /** The line without its high part, at a sample. */
  #dullAt(at: number): number {
    const half = (this.#dullTaps.length - 1) / 2;
    return this.#dullTaps.reduce((sum, tap, index) => sum + tap * (this.#line[at + index - half] ?? 0), 0);
  }
}

/**
 * The most that a wave bends between two samples: its second difference, which knows neither level nor slope. Rounded as
 * the kernel rounds, so that both always find the same.
 */
function sharpest(samples: Float32Array, from: number, to: number): number {
  const end = Math.min(to, samples.length);
  let peak = 0;
  for (let at = Math.max(2, from); at < end; at++) {
    const middle = samples[at - 1] as number;
    const slope = Math.fround(Math.fround((samples[at] as number) - middle) - middle);
    const bend = Math.abs(Math.fround(slope + (samples[at - 2] as number)));
    if (bend > peak) peak = bend;
  }
  return peak;
}

/** A low pass without delay: `half` taps on either side of the middle, whose sum is 1. */
function hannTaps(half: number): Float32Array {
  const taps = Float32Array.from(
    { length: 2 * half + 1 },
    (_, index) => 0.5 - 0.5 * Math.cos((Math.PI * (index + 1)) / (half + 1)),
  );
  const sum = taps.reduce((total, tap) => total + tap, 0);
  return taps.map((tap) => tap / sum);
}
