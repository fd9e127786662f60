/** Mono float samples in [-1, 1]. The rate travels with the samples, never beside them. */
export interface Pcm {
  readonly samples: Float32Array;
  readonly sampleRateHz: number;
}

/** Samples one after the other, as one array of their own. */
export function joinSamples(parts: readonly Float32Array[]): Float32Array {
  const joined = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}
