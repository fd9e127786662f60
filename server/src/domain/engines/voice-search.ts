/**
 * Finds the speaker vector of a recording by gradient descent on the similarity between the recording and speech of the
 * vector. Measures are those of `VoiceEncoder`.
 */
export interface VoiceSearch {
  /** Whether a vector belongs to the engine of this search. */
  accepts(vector: Float32Array): boolean;
  /** A first estimate, from the measures of a recording. */
  predict(measures: Float32Array): Promise<Float32Array>;
  /** What a descent needs of a recording, from its speech at the sample rate of the voice encoder and its measures. */
  targetOf(speech: Float32Array, measures: Float32Array): Promise<SearchTarget>;
  /** A vector nearer to the target. The work is proportional to `steps`. */
  descend(
    vector: Float32Array,
    target: SearchTarget,
    options: { readonly steps: number; readonly signal: AbortSignal },
  ): Promise<Float32Array>;
  /** The vector with its pitch moved by the difference between the target and the measures of its speech. */
  matchPitch(vector: Float32Array, target: Float32Array, measures: Float32Array): Float32Array;
}

/** A recording as the search compares it. */
export interface SearchTarget {
  readonly measures: Float32Array;
  /** Means and deviations over time of the layers of the speaker networks. */
  readonly statistics: Float32Array;
  /** Power spectrum of the noise in the pauses of the recording. */
  readonly background: Float64Array;
}
