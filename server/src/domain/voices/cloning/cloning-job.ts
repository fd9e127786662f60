import type { EngineVoice, SpeechPart, TtsEngine } from '../../engines/tts-engine.ts';
import type { VoiceWish } from '../design/described-voice.ts';
import type { ClonedVoice, MixPart } from '../voice-cloner.ts';

/** A voice to be found, mixed or made up, as it crosses to the process that does it. */
export type CloningJob = FindingJob | MixingJob | DesigningJob | GettingReady;

/** Nothing but to load what finding a voice needs. */
export interface GettingReady {
  readonly isGettingReady: true;
}

/** Voices of nobody, to be made up after a wish. */
export interface DesigningJob {
  readonly wish: VoiceWish;
  readonly count: number;
  /** Equal jobs give equal voices. */
  readonly seed: number;
}

/** Voices to be blended into one. */
export interface MixingJob {
  readonly mix: readonly MixPart[];
}

/** The voice of a person, to be found in recordings. */
export interface FindingJob {
  /** Speech of one person, mono at the rate of the finder. */
  readonly clips: readonly Float32Array[];
  /** Where to go on from. Without it a voice is found that can be used at once. */
  readonly from?: Float32Array | undefined;
}

/** A voice that was tried: its vector, and how its speech measured. */
export interface Trial {
  readonly vector: Float32Array;
  readonly measures: Float32Array;
}

/** Tells voices apart by numbers, and knows which vector of an engine should come near to them. */
export interface VoiceFinder {
  readonly sampleRateHz: number;
  /** Measures half a second of speech or more. */
  measure(samples: Float32Array): Promise<Float32Array>;
  /** What to look for to sound like a recording that measures so. */
  aimFor(recording: Float32Array): Float32Array;
  /** The vector whose speech is expected to measure like the target. */
  find(target: Float32Array): Promise<Float32Array>;
  /** One near a vector that was tried, which makes up for what it missed. `caution` above 1 goes less far. */
  correct(target: Float32Array, trial: Trial, caution: number): Promise<Float32Array>;
  /** Nearly the voice that was tried, but with the pitch of the target. A second trial tells how pitch follows. */
  tune(target: Float32Array, trial: Trial, other?: Trial): Promise<Float32Array>;
  /** How high a voice is and how far its pitch moves. */
  melodyOf(measures: Float32Array): Pick<VoiceTraits, 'pitchHz' | 'melodyOctaves'>;
  /** Whether the pitch of two voices is the same to a listener. */
  isInTune(measures: Float32Array, target: Float32Array): boolean;
  /** How alike two voices are, whatever they say: 1 for equal ones, about 0 for strangers. */
  likeness(a: Float32Array, b: Float32Array): number;
  /** How far apart two voices are. */
  distance(measures: Float32Array, target: Float32Array): number;
  /** Facts about a voice that mean something to people, by name. */
  describe(measures: Float32Array, target: Float32Array): Readonly<Record<string, number>>;
  genderOf(measures: Float32Array): Promise<ClonedVoice['gender']>;
}

/** What people notice about a voice, as numbers. */
export interface VoiceTraits {
  /** Above 0 for women; beyond 0.5 there is hardly a doubt. */
  readonly femininity: number;
  readonly pitchHz: number;
  /** How far the pitch moves. */
  readonly melodyOctaves: number;
  /** High sound against low, in powers of ten. */
  readonly brightness: number;
}

/** Knows traits by measures. */
export interface TraitReader {
  traitsOf(measures: Float32Array): Promise<VoiceTraits>;
  /** The measures of the same voice, were it as high as this. */
  withPitch(measures: Float32Array, pitchHz: number): Float32Array;
}

/** What a job finds in its worker. */
export interface CloningContext {
  finder(): Promise<VoiceFinder>;
  /** The vectors of the engine's own speakers. */
  speakers(): Promise<readonly Float32Array[]>;
  /** The engine whose voices are vectors. */
  engine(): Promise<Pick<TtsEngine, 'name' | 'sampleRateHz'> & { speak: SpeakTrial }>;
}

/** What a job that makes up voices finds besides. */
export interface DesigningContext extends CloningContext {
  finder(): Promise<VoiceFinder & TraitReader>;
  /** What the engine's own speakers are like, in their order. */
  speakerTraits(): Promise<readonly VoiceTraits[]>;
  /** Which way voices sound more natural, in points of a judge for each unit. */
  naturalnessSlope(): Promise<Float32Array>;
}

/** Speaks a trial sentence. */
export type SpeakTrial = (
  sentence: string,
  voice: EngineVoice,
  signal: AbortSignal,
) => AsyncIterable<SpeechPart>;
