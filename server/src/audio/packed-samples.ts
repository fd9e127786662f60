import { createPcm16Kernel } from './kernels/pcm16-kernel.ts';

/**
 * Samples as they travel between processes: 16-bit integers with a common scale, half of the bytes of floats. The error is
 * at most half a step, 96 dB below the largest sample.
 */
export interface PackedSamples {
  readonly values: Int16Array;
  /** A sample is its value times this. */
  readonly scale: number;
}

const VALUE_MAX = 32_767;
const BLOCK_SAMPLES = 8192;
const kernel = createPcm16Kernel(BLOCK_SAMPLES);

/** Samples that are not finite become 0. */
export function packSamples(samples: Float32Array): PackedSamples {
  const values = new Int16Array(samples.length);
  const peak = peakOf(samples);
  if (peak === Number.POSITIVE_INFINITY) {
    return packSamples(samples.map((sample) => (Number.isFinite(sample) ? sample : 0)));
  }
  // In 32 bits, as the samples are when they are unpacked.
  const scale = Math.fround(peak / VALUE_MAX);
  if (scale === 0) return { values, scale };
  for (let from = 0; from < samples.length; from += BLOCK_SAMPLES) {
    const block = samples.subarray(from, from + BLOCK_SAMPLES);
    kernel.floats.set(block);
    kernel.round(block.length, 1 / scale);
    values.set(kernel.integers.subarray(0, block.length), from);
  }
  return { values, scale };
}

export function unpackSamples({ values, scale }: PackedSamples): Float32Array {
  const samples = new Float32Array(values.length);
  for (let from = 0; from < values.length; from += BLOCK_SAMPLES) {
    const block = values.subarray(from, from + BLOCK_SAMPLES);
    kernel.integers.set(block);
    kernel.scale(block.length, scale);
    samples.set(kernel.floats.subarray(0, block.length), from);
  }
  return samples;
}

function peakOf(samples: Float32Array): number {
  let peak = 0;
  for (let from = 0; from < samples.length; from += BLOCK_SAMPLES) {
    const block = samples.subarray(from, from + BLOCK_SAMPLES);
    kernel.floats.set(block);
    peak = Math.max(peak, kernel.peak(block.length));
  }
  return peak;
}
