/**
 * Finds the speaker vector of a recording by gradient descent on the similarity between the recording and speech of the
 * vector. Measures are those of `VoiceEncoder`.
 */
export interface VoiceSearch {
  /** Whether a vector belongs to the engine of this search. */
  accepts(vector: Float32Array): boolean;
  /** The measures to search for, given those of a recording. */
  targetFor(recording: Float32Array): Float32Array;
  /** A first estimate for a recording. It is better if the embedding is known. */
  predict(target: SearchTarget): Promise<Float32Array>;
  /** Hears a recording, from its speech at the sample rate of the voice encoder, on another core than the caller if there is one. */
  hear(speech: Float32Array): Promise<HeardRecording>;
  /** Starts what a descent to these measures needs, for a caller that still waits for something else. */
  prepareDescent(measures: Float32Array, options: { readonly isThorough: boolean }): void;
  /**
   * Parts of a transcribed recording that a descent can compare sound by sound. A vector of about the same voice is needed
   * to align them. None if the transcript does not belong to the recording, or if it is too long.
   */
  partsOf(speech: TranscribedSpeech, vector: Float32Array): Promise<readonly RecordedPart[]>;
  /** A vector nearer to the target. The work is proportional to `steps`. */
  descend(
    vector: Float32Array,
    target: SearchTarget,
    options: {
      readonly steps: number;
      /** Trials that are compared at the same time, on as many cores; a step for each of them follows. */
      readonly trialsAtOnce: number;
      readonly signal: AbortSignal;
    },
  ): Promise<Float32Array>;
  /** The vector with its pitch moved by the difference between the target and the measures of its speech. */
  matchPitch(vector: Float32Array, target: Float32Array, measures: Float32Array): Float32Array;
}

/** What a search compares of a recording besides its measures. */
export interface HeardRecording {
  /** Means and deviations over time of the layers of the speaker networks. */
  readonly statistics: Float32Array;
  /** Speaker embedding by a further network, which doubles the work of a step; absent while that is not installed. */
  readonly embedding?: Float32Array | undefined;
  /** Power spectrum of the noise in the pauses of the recording. */
  readonly background: Float64Array;
}

/** A recording as the search compares it. */
export interface SearchTarget extends HeardRecording {
  /** Whether the voice is also compared in other languages. */
  readonly isThorough: boolean;
  readonly measures: Float32Array;
  /** Parts of the recording that the voice says again; empty without a transcript. */
  readonly parts: readonly RecordedPart[];
}

/** English speech at the sample rate of the voice encoder, and its transcript. */
export interface TranscribedSpeech {
  readonly samples: Float32Array;
  readonly text: string;
}

/** A part of a recording as an engine says it again, and what its speech is compared with. */
export interface RecordedPart {
  /** Text features, aligned with the recording. */
  readonly textFeatures: Float32Array;
  /** F0 and energy of the recording. */
  readonly pitchHz: Float32Array;
  readonly energy: Float32Array;
  /** Level of the recording. */
  readonly rms: number;
  readonly logMel: Float32Array;
  /** As `SearchTarget.statistics`. */
  readonly statistics: Float32Array;
}
