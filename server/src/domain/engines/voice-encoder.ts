/** The perceived gender of a voice. */
export type Gender = 'female' | 'male' | 'unknown';

/** A speaker vector that was synthesized, and the measures of its speech. */
export interface VoiceTrial {
  readonly vector: Float32Array;
  readonly measures: Float32Array;
}

/**
 * Maps speech to measures (a vector that describes the voice) and measures to the speaker vector of an engine.
 * Voice cloning searches with it for the vector whose speech has the measures of a recording.
 */
export interface VoiceEncoder {
  readonly sampleRateHz: number;
  /** The measures of at least half a second of speech. */
  measure(samples: Float32Array): Promise<Float32Array>;
  /** The measures to search for, given those of a recording. */
  targetFor(recording: Float32Array): Float32Array;
  /** The vector whose speech is predicted to have the target measures. */
  predictVector(target: Float32Array): Promise<Float32Array>;
  /** A vector near that of the trial, corrected for the trial's error. `caution` above 1 takes a smaller step. */
  refineVector(target: Float32Array, trial: VoiceTrial, caution: number): Promise<Float32Array>;
  /**
   * A vector near that of the trial, with the pitch of the target. A second trial gives the slope of the pitch
   * between the two vectors.
   */
  matchPitch(target: Float32Array, trial: VoiceTrial, other?: VoiceTrial): Promise<Float32Array>;
  /** Median pitch and pitch range. */
  pitchOf(measures: Float32Array): Pick<VoiceTraits, 'pitchHz' | 'pitchRangeOctaves'>;
  /** Whether the pitch of two voices is indistinguishable for a listener. */
  hasSamePitch(measures: Float32Array, target: Float32Array): boolean;
  /** Speaker similarity, independent of the text: 1 for the same voice, about 0 for unrelated ones. */
  similarity(a: Float32Array, b: Float32Array): number;
  /** Distance between two voices; 0 for equal measures. */
  distance(measures: Float32Array, target: Float32Array): number;
  /** Named measures for reports. */
  describe(measures: Float32Array, target: Float32Array): Readonly<Record<string, number>>;
  genderOf(measures: Float32Array): Promise<Gender>;
}

/** Perceptual traits of a voice. */
export interface VoiceTraits {
  /** Above 0 for female voices; beyond ±0.5 the gender is nearly certain. */
  readonly femininity: number;
  /** Median F0. */
  readonly pitchHz: number;
  readonly pitchRangeOctaves: number;
  /** Ratio of high to low frequency energy, log10. */
  readonly brightness: number;
}

/** Estimates traits from measures. */
export interface VoiceTraitEstimator {
  traitsOf(measures: Float32Array): Promise<VoiceTraits>;
  /** The measures with their pitch replaced. */
  withPitch(measures: Float32Array, pitchHz: number): Float32Array;
}
