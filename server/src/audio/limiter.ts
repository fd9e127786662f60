import { decibelsToFactor } from './gain.ts';
import { SlidingMinimum } from './sliding-minimum.ts';
import { TruePeakDetector } from './true-peak.ts';

const LOOK_AHEAD_SECONDS = 0.004;
const RELEASE_SECONDS = 0.08;
/** A hundredth of a decibel from there to 1 is not heard, and at 1 there is nothing left to compute. */
const NEARLY_UNITY = 1 - 1e-3;

/** Where a limiter works. */
export interface LimiterOptions {
  readonly sampleRateHz: number;
  /** The peak level, between samples too, that is not passed. */
  readonly ceilingDbtp?: number;
}

/** Samples of a line that leave, and where they go. */
interface Stretch {
  readonly line: Float32Array;
  readonly from: number;
  readonly to: number;
  readonly output: Float32Array;
  /** How many places of the line stand before the first of the output. */
  readonly silent: number;
}

/**
 * Keeps peaks, those between samples too, under a ceiling. Looks 4 ms ahead, so that the gain is down
 * before the peak comes and never jumps. What stays under the ceiling passes unchanged. Total length is
 * kept, and the output does not depend on how the input is cut into calls.
 */
export class Limiter {
  readonly #ceiling: number;
  readonly #smoothing: number;
  readonly #latency: number;
  readonly #releaseFactor: number;
  readonly #detector: TruePeakDetector;
  readonly #minimum: SlidingMinimum;
  /** The last samples, then those being taken: what leaves is `#latency` places before what comes. */
  #line: Float32Array;
  readonly #gains: Float64Array;
  #gainSum: number;
  #heldGain = 1;
  /** Samples since the gain last had to go down. */
  #sincePeak: number;
  /** Samples since the held gain last changed the sum. */
  #unityRun: number;
  #position = 0;

  constructor({ sampleRateHz, ceilingDbtp = -1 }: LimiterOptions) {
    this.#ceiling = decibelsToFactor(ceilingDbtp);
    this.#smoothing = Math.round(LOOK_AHEAD_SECONDS * sampleRateHz);
    this.#releaseFactor = 1 - Math.exp(-1 / (RELEASE_SECONDS * sampleRateHz));
    this.#detector = new TruePeakDetector(this.#ceiling);
    this.#minimum = new SlidingMinimum(this.#smoothing);
    this.#latency = this.#smoothing - 1 + TruePeakDetector.latencySamples;
    this.#line = new Float32Array(this.#latency);
    this.#gains = new Float64Array(this.#smoothing).fill(1);
    this.#gainSum = this.#smoothing;
    this.#unityRun = this.#smoothing;
    this.#sincePeak = this.#smoothing;
  }

  /** Takes the next samples and returns what is decided by now. */
  process(samples: Float32Array): Float32Array {
    const output = new Float32Array(
      Math.max(0, this.#position + samples.length - this.#latency) -
        Math.max(0, this.#position - this.#latency),
    );
    this.#run(samples, output);
    return output;
  }

  /** The rest of the output. Nothing may be processed afterwards. */
  flush(): Float32Array {
    const output = new Float32Array(Math.min(this.#position, this.#latency));
    const silence = new Float32Array(this.#latency);
    this.#run(silence, output);
    return output;
  }

  /** Takes samples; `output` is for the last of those that leave, since the first to leave came before the stream. */
  #run(samples: Float32Array, output: Float32Array): void {
    const line = this.#lineWith(samples);
    const silent = samples.length - output.length;
    let coolEnd = 0;
    for (let i = 0; i < samples.length; ) {
      if (this.#isCalm() && coolEnd <= i) coolEnd = this.#coolEnd(samples, i);
      const calmEnd = this.#isCalm() ? coolEnd - TruePeakDetector.memorySamples : i;
      if (calmEnd > i && this.#isIdle()) {
        const from = Math.max(i, silent);
        if (from < calmEnd) output.set(line.subarray(from, calmEnd), from - silent);
        this.#position += calmEnd - i;
        i = calmEnd;
      } else if (calmEnd > i && this.#heldGain <= NEARLY_UNITY) {
        i = this.#release({ line, from: i, to: calmEnd, output, silent });
      } else {
        const gain = this.#nextGain(this.#detector.next(samples[i] as number));
        if (i >= silent) output[i - silent] = (line[i] as number) * gain;
        this.#position++;
        i++;
      }
    }
    line.copyWithin(0, samples.length, samples.length + this.#latency);
  }

  /** One array serves all calls. */
  #lineWith(samples: Float32Array): Float32Array {
    const length = this.#latency + samples.length;
    if (this.#line.length < length) {
      const longer = new Float32Array(length);
      longer.set(this.#line.subarray(0, this.#latency));
      this.#line = longer;
    }
    this.#line.set(samples, this.#latency);
    return this.#line;
  }

  /** Whether no peak is in sight or remembered, so that samples that are not hot ask for nothing. */
  #isCalm(): boolean {
    return this.#sincePeak >= this.#smoothing && this.#detector.isCool;
  }

  /** Whether the gain is back at 1 as well, so that calm samples pass unchanged. */
  #isIdle(): boolean {
    return this.#unityRun > this.#smoothing;
  }

  /**
   * Sends calm samples through while the gain comes back, and returns where it stopped: at `to`, or where the
   * gain is back. Computes exactly what the way for peaks would, which is several times slower.
   */
  #release({ line, from, to, output, silent }: Stretch): number {
    const gains = this.#gains;
    const smoothing = this.#smoothing;
    let held = this.#heldGain;
    let sum = this.#gainSum;
    let gainSlot = this.#position % smoothing;
    let i = from;
    for (; i < to && held <= NEARLY_UNITY; i++) {
      held += (1 - held) * this.#releaseFactor;
      sum += held - (gains[gainSlot] as number);
      gains[gainSlot] = held;
      gainSlot = gainSlot + 1 === smoothing ? 0 : gainSlot + 1;
      if (i >= silent) output[i - silent] = (line[i] as number) * (sum / smoothing);
    }
    this.#heldGain = held;
    this.#gainSum = sum;
    this.#position += i - from;
    return i;
  }

  /** Where the first sample stands that could be part of a peak. */
  #coolEnd(samples: Float32Array, from: number): number {
    const { hotLevel } = this.#detector;
    let end = from;
    while (end < samples.length && Math.abs(samples[end] as number) <= hotLevel) end++;
    return end;
  }

  /**
   * The gain for the sample that leaves. Each mean is over values that are all low enough for it, so it
   * is low enough as well; and a mean changes gently.
   */
  #nextGain(peak: number): number {
    const wanted = peak > this.#ceiling ? this.#ceiling / peak : 1;
    this.#sincePeak = wanted === 1 ? this.#sincePeak + 1 : 0;
    const needed = this.#minimum.next(wanted);
    if (needed === 1 && this.#heldGain > NEARLY_UNITY) {
      this.#heldGain = 1;
    } else {
      const released = this.#heldGain + (1 - this.#heldGain) * this.#releaseFactor;
      this.#heldGain = Math.min(needed, released);
    }
    return this.#smooth(this.#heldGain);
  }

  #smooth(gain: number): number {
    this.#unityRun = gain === 1 ? this.#unityRun + 1 : 0;
    const slot = this.#position % this.#smoothing;
    if (this.#unityRun > this.#smoothing) return 1;
    this.#gainSum += gain - (this.#gains[slot] as number);
    this.#gains[slot] = gain;
    // Starts afresh, so that rounding errors cannot add up over hours.
    if (this.#unityRun === this.#smoothing) this.#gainSum = this.#smoothing;
    return this.#gainSum / this.#smoothing;
  }
}
