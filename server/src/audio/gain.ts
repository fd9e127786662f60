/** The factor that changes a level by this many decibels. */
export function decibelsToFactor(decibels: number): number {
  return 10 ** (decibels / 20);
}

/** A level relative to full scale. Silence is minus infinity. */
export function factorToDecibels(factor: number): number {
  return 20 * Math.log10(factor);
}

/** The samples, louder by this many decibels. At 0 dB they are the same array, not a copy. */
export function applyGain(samples: Float32Array, decibels: number): Float32Array {
  if (decibels === 0) return samples;
  const factor = decibelsToFactor(decibels);
  return samples.map((sample) => sample * factor);
}
