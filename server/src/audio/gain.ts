/** Converts a gain in decibels to an amplitude factor. */
export function decibelsToFactor(decibels: number): number {
  return 10 ** (decibels / 20);
}

/** Converts an amplitude factor to decibels. 0 is minus infinity. */
export function factorToDecibels(factor: number): number {
  return 20 * Math.log10(factor);
}

/** Returns the samples with a gain. At 0 dB it returns the same array, not a copy. */
export function applyGain(samples: Float32Array, decibels: number): Float32Array {
  if (decibels === 0) return samples;
  const factor = decibelsToFactor(decibels);
  return samples.map((sample) => sample * factor);
}
