import { decibelsToFactor } from '../gain.ts';
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
  /** The last samples. On the detector's line they stand before those that come: what leaves is `#latency` earlier. */
  readonly #recent: Float32Array;
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
    this.#recent = new Float32Array(this.#latency);
    this.#gains = new Float64Array(this.#smoothing).fill(1);
    this.#gainSum = this.#smoothing;
    this.#unityRun = this.#smoothing;
    this.#sincePeak = this.#smoothing;
  }

  /** Takes the next samples and returns what is decided by now. */
  process(samples: Float32Array): Float32Array {
    const output = new Float32Array(this.#leaving(samples.length));
    this.#run(samples, output);
    return output;
  }

  /** The rest of the output. Nothing may be processed afterwards. */
  flush(): Float32Array {
    const output = new Float32Array(Math.min(this.#position, this.#latency));
    this.#run(new Float32Array(this.#latency), output);
    return output;
  }

  /** How many samples leave when so many come. */
  #leaving(count: number): number {
    const left = (position: number) => Math.max(0, position - this.#latency);
    return left(this.#position + count) - left(this.#position);
  }

  /** Takes samples, as many at a time as the detector's line holds. */
  #run(samples: Float32Array, output: Float32Array): void {
    const room = this.#detector.line.length - this.#latency;
    let written = 0;
    for (let from = 0; from < samples.length; from += room) {
      const block = samples.subarray(from, from + room);
      const leaving = Math.min(this.#leaving(block.length), output.length - written);
      this.#runBlock(block, output.subarray(written, written + leaving));
      written += leaving;
    }
  }

  /** Takes samples; `output` is for the last of those that leave, since the first to leave came before the stream. */
  #runBlock(samples: Float32Array, output: Float32Array): void {
    const { line } = this.#detector;
    line.set(this.#recent);
    line.set(samples, this.#latency);
    const silent = samples.length - output.length;
    let calmEnd = 0;
    for (let i = 0; i < samples.length; ) {
      if (this.#isCalm() && calmEnd <= i) calmEnd = this.#calmEnd(i, samples.length);
      if (calmEnd > i && this.#isIdle()) {
        const from = Math.max(i, silent);
        if (from < calmEnd) output.set(line.subarray(from, calmEnd), from - silent);
        this.#position += calmEnd - i;
        i = calmEnd;
      } else if (calmEnd > i && this.#heldGain <= NEARLY_UNITY) {
        i = this.#release({ line, from: i, to: calmEnd, output, silent });
      } else {
        const gain = this.#nextGain(this.#detector.peakAt(i + this.#latency));
        if (i >= silent) output[i - silent] = (line[i] as number) * gain;
        this.#position++;
        i++;
      }
    }
    this.#recent.set(line.subarray(samples.length, samples.length + this.#latency));
  }

  /** Whether no peak is in sight or remembered, so that what follows asks for nothing until the next one. */
  #isCalm(): boolean {
    return this.#sincePeak >= this.#smoothing;
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

  /** Which of the samples brings the next peak above the ceiling in sight. */
  #calmEnd(from: number, to: number): number {
    return this.#detector.next(from + this.#latency, to + this.#latency) - this.#latency;
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
