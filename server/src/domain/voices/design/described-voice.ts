/** The wire model that makes up voices, and what is kept with them as their cloner. */
export const VOICE_DESIGN = 'voice-design-1';

/** What a description can be about, as clients of the API know it. */
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
 * What is wanted of a voice, as its maker takes it. Numbers are deviations from what is usual: 0 is the middle
 * of all voices (of that gender), 2 is more than nearly all have. What is absent is left to chance.
 */
export interface VoiceTargets {
  readonly gender?: 'female' | 'male';
  readonly pitch?: number;
  /** How much the pitch moves. */
  readonly melody?: number;
  /** How much of the sound lies high, from dark to bright. */
  readonly brightness?: number;
}

/** A description that was read. */
export interface VoiceDescription {
  readonly wish: VoiceTargets;
  /** How fast to speak; 1 is the voice's own pace. */
  readonly pace: number;
  /** What it says about each aspect, in plain words; only what is followed. */
  readonly aspects: Partial<Readonly<Record<Aspect, string>>>;
  /** The words that are followed, in the order of the text. */
  readonly understood: readonly string[];
  /** The words that are not: unknown ones, and known ones that this server cannot do. */
  readonly ignored: readonly string[];
}
