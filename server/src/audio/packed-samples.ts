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

/** Samples that are not finite become 0. */
export function packSamples(samples: Float32Array): PackedSamples {
  let peak = 0;
  for (let index = 0; index < samples.length; index++) {
    const size = Math.abs(samples[index]!);
    if (size > peak && size < Number.POSITIVE_INFINITY) peak = size;
  }
  const values = new Int16Array(samples.length);
  if (peak === 0) return { values, scale: 0 };
  const factor = VALUE_MAX / peak;
  for (let index = 0; index < samples.length; index++) {
    const value = samples[index]! * factor;
    // The conversion to an integer cuts off the fraction, and makes 0 of values that are not finite.
    values[index] = value < 0 ? value - 0.5 : value + 0.5;
  }
  return { values, scale: peak / VALUE_MAX };
}

export function unpackSamples({ values, scale }: PackedSamples): Float32Array {
  const samples = new Float32Array(values.length);
  for (let index = 0; index < values.length; index++) samples[index] = values[index]! * scale;
  return samples;
}
