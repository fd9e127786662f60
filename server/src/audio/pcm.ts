/** Mono float samples in [-1, 1], with their sample rate. */
export interface Pcm {
  readonly samples: Float32Array;
  readonly sampleRateHz: number;
}

/** Concatenates samples into a new array. */
export function joinSamples(parts: readonly Float32Array[]): Float32Array {
  const joined = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}
