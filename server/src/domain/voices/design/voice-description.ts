/** Model id of voice design. Stored as the cloner of designed voices. */
export const VOICE_DESIGN = 'voice-design-1';

/** Aspects of a description, as named in the API. */
export const ASPECTS = [
  'gender',
  'age',
  'pitch',
  'pacing',
  'tone',
  'emotion',
  'accent',
  'loudness',
  'reverb',
] as const;
export type Aspect = (typeof ASPECTS)[number];

/**
 * Target traits of a designed voice. Numbers are in standard deviations from the mean of the engine's speakers (of the
 * same gender). Absent traits are random.
 */
export interface VoiceTargets {
  readonly gender?: 'female' | 'male';
  readonly pitch?: number;
  /** Variation of the pitch. */
  readonly pitchRange?: number;
  /** Share of high frequencies, from dark to bright. */
  readonly brightness?: number;
}

/** A parsed description. */
export interface VoiceDescription {
  readonly targets: VoiceTargets;
  /** Factor on the speaking rate of the voice. */
  readonly speakingRate: number;
  /** The supported aspects of the description, each with a label. */
  readonly aspects: Partial<Readonly<Record<Aspect, string>>>;
  /** The words that have an effect, in the order of the text. */
  readonly understood: readonly string[];
  /** The words without an effect: unknown ones, and known ones that the server does not support. */
  readonly ignored: readonly string[];
}
