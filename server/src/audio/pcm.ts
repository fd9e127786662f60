/** Mono float samples in [-1, 1]. The rate travels with the samples, never beside them. */
export interface Pcm {
  readonly samples: Float32Array;
  readonly sampleRateHz: number;
}
