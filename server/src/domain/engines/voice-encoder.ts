/** The gender a voice is heard as. */
export type Gender = 'female' | 'male' | 'unknown';

/** A voice that was tried: its vector, and how its speech measured. */
export interface VoiceTrial {
  readonly vector: Float32Array;
  readonly measures: Float32Array;
}

/** Tells voices apart by numbers, and knows which vector of an engine should come near to them. */
export interface VoiceEncoder {
  readonly sampleRateHz: number;
  /** Measures half a second of speech or more. */
  measure(samples: Float32Array): Promise<Float32Array>;
  /** What to look for to sound like a recording that measures so. */
  targetFor(recording: Float32Array): Float32Array;
  /** The vector whose speech is expected to measure like the target. */
  predictVector(target: Float32Array): Promise<Float32Array>;
  /** One near a vector that was tried, which makes up for what it missed. `caution` above 1 goes less far. */
  refineVector(target: Float32Array, trial: VoiceTrial, caution: number): Promise<Float32Array>;
  /** Nearly the voice that was tried, but with the pitch of the target. A second trial tells how pitch follows. */
  matchPitch(target: Float32Array, trial: VoiceTrial, other?: VoiceTrial): Promise<Float32Array>;
  /** How high a voice is and how far its pitch moves. */
  pitchOf(measures: Float32Array): Pick<VoiceTraits, 'pitchHz' | 'pitchRangeOctaves'>;
  /** Whether the pitch of two voices is the same to a listener. */
  hasSamePitch(measures: Float32Array, target: Float32Array): boolean;
  /** How alike two voices are, whatever they say: 1 for equal ones, about 0 for strangers. */
  similarity(a: Float32Array, b: Float32Array): number;
  /** How far apart two voices are. */
  distance(measures: Float32Array, target: Float32Array): number;
  /** Facts about a voice that mean something to people, by name. */
  describe(measures: Float32Array, target: Float32Array): Readonly<Record<string, number>>;
  genderOf(measures: Float32Array): Promise<Gender>;
}

/** What people notice about a voice, as numbers. */
export interface VoiceTraits {
  /** Above 0 for women; beyond 0.5 there is hardly a doubt. */
  readonly femininity: number;
  readonly pitchHz: number;
  /** How far the pitch moves. */
  readonly pitchRangeOctaves: number;
  /** High sound against low, in powers of ten. */
  readonly brightness: number;
}

/** Knows traits by measures. */
export interface VoiceTraitEstimator {
  traitsOf(measures: Float32Array): Promise<VoiceTraits>;
  /** The measures of the same voice, were it as high as this. */
  withPitch(measures: Float32Array, pitchHz: number): Float32Array;
}
