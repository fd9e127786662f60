import { createSecondDifferenceKernel, PRECEDING_SAMPLES } from '../kernels/second-difference-kernel.ts';
import { joinSamples } from '../pcm.ts';

/** Length of the blocks whose peaks are measured. */
const BLOCK_SECONDS = 0.001;
/** A transient and its ringing extend at most this far to either side of its peak. */
const TRANSIENT_SECONDS = 0.0015;
/** Blocks at most this far from the peak of a transient may belong to it. */
const TRANSIENT_BLOCKS = 2;
/** The attenuation is full within this distance from the peak and fades out up to the end of the transient. */
const CORE_SECONDS = 0.001;
/** Audio within this distance masks a transient: longer than a pitch period of all but the lowest voices. */
const MASKING_SECONDS = 0.014;
/** A transient is masked when its peak is at most this many times the highest peak within the masking distance. */
const MASKED_RATIO = 2;
/** Peaks up to this value are inaudible without any masking. */
const INAUDIBLE_PEAK = 0.01;
/** Length of the low-pass filter that separates the low-frequency part of a transient, which is retained. */
const LOW_PASS_SECONDS = 0.0005;
/** Each iteration approaches the threshold; most transients need two. */
const MAX_ITERATIONS = 8;

const KERNEL_SAMPLES = 8192;
const kernel = createSecondDifferenceKernel(KERNEL_SAMPLES);

/**
 * Attenuates transients in synthesized speech that are audible as clicks: one or two milliseconds, mostly at the release
 * of a plosive, far above all audio around them. A transient is measured by the magnitude of its second difference,
 * which does not depend on level or slope. Only its high-frequency part is attenuated, and only down to the masking
 * threshold; all other samples pass unchanged. Latency is about 17 ms. The length does not change, and the output does
 * not depend on how the input is divided into calls.
 */
export class TransientSuppressor {
  readonly #blockSamples: number;
  readonly #transientSamples: number;
  readonly #coreSamples: number;
  readonly #maskingSamples: number;
  readonly #lowPassTaps: Float32Array;
  /** Blocks on either side of a block that affect its masking threshold. */
  readonly #maskingBlocks: number;
  /** Returned samples within the masking distance, then samples not yet returned. Starts at a block boundary. */
  #buffer: Float32Array = new Float32Array(0);
  /** Blocks of the buffer that are processed. */
  #processedBlocks = 0;
  /** Samples of the buffer that were returned. */
  #returnedSamples = 0;

  constructor({ sampleRateHz }: { readonly sampleRateHz: number }) {
    const samplesIn = (seconds: number) => Math.max(1, Math.round(seconds * sampleRateHz));
    this.#blockSamples = Math.max(4, samplesIn(BLOCK_SECONDS));
    this.#transientSamples = samplesIn(TRANSIENT_SECONDS);
    this.#coreSamples = samplesIn(CORE_SECONDS);
    this.#maskingSamples = samplesIn(MASKING_SECONDS);
    this.#lowPassTaps = hannTaps(samplesIn(LOW_PASS_SECONDS / 2));
    this.#maskingBlocks = Math.ceil(this.#maskingSamples / this.#blockSamples) + 1;
  }

  /** Takes the next samples and returns those that are final. */
  process(samples: Float32Array): Float32Array {
    this.#buffer = joinSamples([this.#buffer, samples]);
    return this.#processBlocks(Math.floor(this.#buffer.length / this.#blockSamples) - this.#maskingBlocks);
  }

  /** Returns the remaining samples. Ends the stream. */
  flush(): Float32Array {
    const ready = this.#processBlocks(Math.ceil(this.#buffer.length / this.#blockSamples));
    return joinSamples([ready, this.#buffer.subarray(this.#returnedSamples)]);
  }

  /** Processes the blocks of the buffer before `blockEnd` and returns the samples that are then final. */
  #processBlocks(blockEnd: number): Float32Array {
    if (blockEnd <= this.#processedBlocks) return new Float32Array(0);
    const peaks = this.#measureBlocks();
    for (let block = this.#processedBlocks; block < blockEnd; block++) {
      const threshold = this.#estimateThreshold(peaks, block);
      if (peaks[block]! > threshold && this.#suppressInBlock(block, threshold)) {
        this.#remeasureAround(peaks, block);
      }
    }
    // A transient may begin before the block of its peak.
    const ready = Math.max(this.#returnedSamples, blockEnd * this.#blockSamples - this.#transientSamples);
    const returned = this.#buffer.slice(this.#returnedSamples, ready);
    const dropped = Math.max(0, blockEnd - this.#maskingBlocks - 1);
    this.#buffer = this.#buffer.subarray(dropped * this.#blockSamples);
    this.#processedBlocks = blockEnd - dropped;
    this.#returnedSamples = ready - dropped * this.#blockSamples;
    return returned;
  }

  /** The peak second difference of every block of the buffer. */
  #measureBlocks(): Float32Array {
    const blockSamples = this.#blockSamples;
    const peaks = new Float32Array(Math.ceil(this.#buffer.length / blockSamples));
    const wholeBlocks = Math.floor(this.#buffer.length / blockSamples);
    const kernelBlocks = Math.floor(KERNEL_SAMPLES / blockSamples);
    for (let block = 0; block < wholeBlocks; block += kernelBlocks) {
      const blocks = Math.min(kernelBlocks, wholeBlocks - block);
      this.#fillKernel(block * blockSamples, (block + blocks) * blockSamples);
      kernel.run(blocks, blockSamples);
      peaks.set(kernel.output.subarray(0, blocks), block);
    }
    if (wholeBlocks < peaks.length) {
      peaks[wholeBlocks] = peakSecondDifference(
        this.#buffer,
        wholeBlocks * blockSamples,
        this.#buffer.length,
      );
    }
    return peaks;
  }

  #fillKernel(from: number, to: number): void {
    if (from >= PRECEDING_SAMPLES) {
      kernel.input.set(this.#buffer.subarray(from - PRECEDING_SAMPLES, to));
      return;
    }
    // Linear extrapolation before the start: its second difference is 0. A whole block is at least 4 samples.
    const first = this.#buffer[0]!;
    const second = this.#buffer[1]!;
    kernel.input.set([3 * first - 2 * second, 2 * first - second]);
    kernel.input.set(this.#buffer.subarray(from, to), PRECEDING_SAMPLES);
  }

  /**
   * A lower bound of the masking threshold for all samples of a block, from the peaks of the blocks around it. Stops as
   * soon as the bound reaches the peak of the block.
   */
  #estimateThreshold(peaks: Float32Array, block: number): number {
    const peak = peaks[block]!;
    const maxDistance = this.#maskingBlocks - 2;
    let threshold = INAUDIBLE_PEAK;
    for (let distance = TRANSIENT_BLOCKS + 1; distance <= maxDistance && threshold < peak; distance++) {
      const before = block >= distance ? peaks[block - distance]! : 0;
      const after = block + distance < peaks.length ? peaks[block + distance]! : 0;
      threshold = Math.max(threshold, MASKED_RATIO * before, MASKED_RATIO * after);
    }
    return threshold;
  }

  /** Measures again the blocks that a transient around one may extend into. */
  #remeasureAround(peaks: Float32Array, block: number): void {
    const last = Math.min(block + TRANSIENT_BLOCKS, peaks.length - 1);
    for (let near = Math.max(0, block - TRANSIENT_BLOCKS); near <= last; near++) {
      peaks[near] = peakSecondDifference(
        this.#buffer,
        near * this.#blockSamples,
        (near + 1) * this.#blockSamples,
      );
    }
  }

  /** Attenuates the transient of a block that is furthest above its threshold. Returns whether there is one. */
  #suppressInBlock(block: number, minThreshold: number): boolean {
    let [at, threshold, excess] = [0, 0, 1];
    const end = Math.min(this.#buffer.length, (block + 1) * this.#blockSamples);
    for (let candidate = block * this.#blockSamples; candidate < end; candidate++) {
      const peak = peakSecondDifference(this.#buffer, candidate, candidate + 1);
      if (peak <= minThreshold) continue;
      const masked = this.#maskingThreshold(candidate);
      if (peak / masked > excess) [at, threshold, excess] = [candidate, masked, peak / masked];
    }
    if (excess > 1) this.#attenuate(at, threshold);
    return excess > 1;
  }

  /** The highest second difference at a sample that the audio around it masks. */
  #maskingThreshold(at: number): number {
    const before = peakSecondDifference(this.#buffer, at - this.#maskingSamples, at - this.#transientSamples);
    const after = peakSecondDifference(
      this.#buffer,
      at + this.#transientSamples + 1,
      at + this.#maskingSamples,
    );
    return Math.max(INAUDIBLE_PEAK, MASKED_RATIO * Math.max(before, after));
  }

  /** Attenuates the high-frequency part of the transient around a sample until its peak is within the threshold. */
  #attenuate(at: number, threshold: number): void {
    const from = Math.max(0, at - this.#transientSamples);
    const to = Math.min(this.#buffer.length, at + this.#transientSamples);
    const original = this.#buffer.slice(from, to);
    const highPassed = original.map((sample, index) => sample - this.#lowPassedAt(from + index));
    let gain = 1;
    for (let iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
      const peak = peakSecondDifference(this.#buffer, from, to);
      if (peak <= threshold) return;
      gain *= threshold / peak;
      for (let index = 0; index < original.length; index++) {
        const weight = this.#weightAt(from + index - at);
        this.#buffer[from + index] = original[index]! - (1 - gain) * weight * highPassed[index]!;
      }
    }
  }

  /** The share of the attenuation at a distance from the peak: 1 in the core, then a raised cosine down to 0. */
  #weightAt(distance: number): number {
    const beyondCore = Math.abs(distance) - this.#coreSamples;
    if (beyondCore <= 0) return 1;
    return 0.5 + 0.5 * Math.cos((Math.PI * beyondCore) / (this.#transientSamples - this.#coreSamples));
  }

  #lowPassedAt(at: number): number {
    const half = (this.#lowPassTaps.length - 1) / 2;
    return this.#lowPassTaps.reduce(
      (sum, tap, index) => sum + tap * (this.#buffer[at + index - half] ?? 0),
      0,
    );
  }
}

/** The largest magnitude of the second difference in a range of samples. Rounded like the kernel, so that both agree. */
function peakSecondDifference(samples: Float32Array, from: number, to: number): number {
  const end = Math.min(to, samples.length);
  let peak = 0;
  for (let at = Math.max(2, from); at < end; at++) {
    const previous = samples[at - 1] as number;
    const difference = Math.fround(Math.fround((samples[at] as number) - previous) - previous);
    const magnitude = Math.abs(Math.fround(difference + (samples[at - 2] as number)));
    if (magnitude > peak) peak = magnitude;
  }
  return peak;
}

/** A zero-phase Hann low-pass: `half` taps on either side of the centre, normalised to a sum of 1. */
function hannTaps(half: number): Float32Array {
  const taps = Float32Array.from(
    { length: 2 * half + 1 },
    (_, index) => 0.5 - 0.5 * Math.cos((Math.PI * (index + 1)) / (half + 1)),
  );
  const sum = taps.reduce((total, tap) => total + tap, 0);
  return taps.map((tap) => tap / sum);
}
