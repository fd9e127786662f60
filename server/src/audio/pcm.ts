/** Mono float samples in [-1, 1], with their sample rate. */
export interface Pcm {
  readonly samples: Float32Array;
  readonly sampleRateHz: number;
}

const NO_SAMPLES = new Float32Array(0);

/**
 * Releases the samples of audio that its reader has processed. Suspended generators and their promises refer to the last
 * value that they passed on: a window of some hundred kilobytes for each stage of each stream, until the next one.
 */
export function releaseSamples(pcm: Pcm): void {
  (pcm as { samples: Float32Array }).samples = NO_SAMPLES;
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
