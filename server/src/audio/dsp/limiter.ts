import { decibelsToFactor } from '../gain.ts';
import { createGainReleaseKernel } from '../kernels/gain-release-kernel.ts';
import { SlidingMinimum } from './sliding-minimum.ts';
import { TRUE_PEAK_BUFFER_SAMPLES, TruePeakDetector } from './true-peak.ts';

const LOOK_AHEAD_SECONDS = 0.004;
/** Time constant with which the gain returns to 1. */
export const RELEASE_SECONDS = 0.08;
/** Maximum true peak, unless another is given. */
export const CEILING_DBTP = -1;
/** From here on the released gain is set to 1: the step of 0.01 dB is inaudible, and at 1 there is nothing to compute. */
const NEARLY_UNITY = 1 - 1e-3;

/** Values of the moving average at the highest sample rate. */
const GAINS_MAX = 1024;
const kernel = createGainReleaseKernel({ samples: TRUE_PEAK_BUFFER_SAMPLES, gains: GAINS_MAX });

export interface LimiterOptions {
  readonly sampleRateHz: number;
  /** Maximum true peak of the output. */
  readonly ceilingDbtp?: number;
}

/** A range of the buffer that becomes output. */
interface OutputSpan {
  readonly buffer: Float32Array;
  readonly from: number;
  readonly to: number;
  readonly output: Float32Array;
  /** Samples of the buffer before the first sample of the output. */
  readonly skipped: number;
}

/**
 * Keeps true peaks under a ceiling. A look-ahead of 4 ms lowers the gain before the peak, without steps. Audio under the
 * ceiling passes unchanged. The total length does not change, and the output does not depend on how the input is divided
 * into calls.
 */
export class Limiter {
  readonly #ceiling: number;
  readonly #smoothing: number;
  readonly #latency: number;
  readonly #releaseFactor: number;
  readonly #detector: TruePeakDetector;
  readonly #minimum: SlidingMinimum;
  /** The last `#latency` samples. They precede the next input in the buffer, where the output starts `#latency` earlier. */
  readonly #recent: Float32Array;
  readonly #gains: Float64Array;
  #gainSum: number;
  #heldGain = 1;
  /** Samples since the last one that required a lower gain. */
  #sincePeak: number;
  /** Consecutive samples with a held gain of 1. */
  #unityRun: number;
  #position = 0;

  constructor({ sampleRateHz, ceilingDbtp = CEILING_DBTP }: LimiterOptions) {
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

  /** Takes the next samples and returns those that are final. */
  process(samples: Float32Array): Float32Array {
    const output = new Float32Array(this.#outputCount(samples.length));
    this.#run(samples, output);
    return output;
  }

  /** Returns the remaining samples. Ends the stream. */
  flush(): Float32Array {
    const output = new Float32Array(Math.min(this.#position, this.#latency));
    this.#run(new Float32Array(this.#latency), output);
    return output;
  }

  /** The number of output samples for the next `count` input samples. */
  #outputCount(count: number): number {
    const outputBefore = (position: number) => Math.max(0, position - this.#latency);
    return outputBefore(this.#position + count) - outputBefore(this.#position);
  }

  /** Processes samples in blocks that fit into the buffer of the detector. */
  #run(samples: Float32Array, output: Float32Array): void {
    const capacity = this.#detector.buffer.length - this.#latency;
    let written = 0;
    for (let from = 0; from < samples.length; from += capacity) {
      const block = samples.subarray(from, from + capacity);
      const count = Math.min(this.#outputCount(block.length), output.length - written);
      this.#runBlock(block, output.subarray(written, written + count));
      written += count;
    }
  }

  /** Processes a block. The output is shorter at the start of the stream, where the first samples precede the input. */
  #runBlock(samples: Float32Array, output: Float32Array): void {
    const { buffer } = this.#detector;
    buffer.set(this.#recent);
    buffer.set(samples, this.#latency);
    const skipped = samples.length - output.length;
    let peakFreeEnd = 0;
    for (let i = 0; i < samples.length; ) {
      // Peaks are several samples long: only after the first lower one does a search for the next pay off.
      if (this.#sincePeak > 0 && peakFreeEnd <= i) peakFreeEnd = this.#peakFreeEnd(i, samples.length);
      const isPeakFree = peakFreeEnd > i && this.#isPeakFree();
      if (isPeakFree && this.#isIdle()) {
        const from = Math.max(i, skipped);
        if (from < peakFreeEnd) output.set(buffer.subarray(from, peakFreeEnd), from - skipped);
        this.#position += peakFreeEnd - i;
        i = peakFreeEnd;
      } else if (isPeakFree && this.#heldGain <= NEARLY_UNITY) {
        i = this.#release({ buffer, from: i, to: peakFreeEnd, output, skipped });
      } else {
        const gain = this.#nextGain(i < peakFreeEnd ? 0 : this.#detector.peakAt(i + this.#latency));
        if (i >= skipped) output[i - skipped] = (buffer[i] as number) * gain;
        this.#position++;
        i++;
      }
    }
    this.#recent.set(buffer.subarray(samples.length, samples.length + this.#latency));
  }

  /** Whether no peak is within the look-ahead, so that samples need no lower gain until the next peak. */
  #isPeakFree(): boolean {
    return this.#sincePeak >= this.#smoothing;
  }

  /** Whether the smoothed gain is 1, so that samples without a peak pass unchanged. */
  #isIdle(): boolean {
    return this.#unityRun > this.#smoothing;
  }

  /**
   * Processes samples without a peak while the gain is released. Returns the index where it stopped: `to`, or the sample
   * where the gain is released. Gives exactly the result of `#nextGain`, which takes several times as long.
   */
  #release({ buffer, from, to, output, skipped }: OutputSpan): number {
    const smoothing = this.#smoothing;
    kernel.samples.set(buffer.subarray(from, to));
    kernel.gains.set(this.#gains);
    const processed = kernel.run(to - from, smoothing, {
      heldGain: this.#heldGain,
      sum: this.#gainSum,
      slot: this.#position % smoothing,
      factor: this.#releaseFactor,
      limit: NEARLY_UNITY,
    });
    const unheard = Math.min(processed, Math.max(0, skipped - from));
    output.set(kernel.samples.subarray(unheard, processed), Math.max(0, from - skipped));
    this.#gains.set(kernel.gains.subarray(0, smoothing));
    this.#heldGain = kernel.state[0] as number;
    this.#gainSum = kernel.state[1] as number;
    this.#position += processed;
    return from + processed;
  }

  /** The index of the sample that completes the next peak above the ceiling. */
  #peakFreeEnd(from: number, to: number): number {
    return this.#detector.findPeak(from + this.#latency, to + this.#latency) - this.#latency;
  }

  /**
   * The gain for the next output sample: the moving average of the held gain. All values of the average are low enough
   * for the peak, so the average is as well, and it changes without steps.
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
    // Resets the sum, so that rounding errors do not accumulate over hours.
    if (this.#unityRun === this.#smoothing) this.#gainSum = this.#smoothing;
    return this.#gainSum / this.#smoothing;
  }
}
