import type { EngineVoice, SpeechPart, TtsEngine } from '../../engines/tts-engine.ts';
import type { TraitReader, VoiceEncoder, VoiceTraits } from '../../engines/voice-encoder.ts';
import type { VoiceTargets } from '../design/described-voice.ts';
import type { MixPart } from '../voice-cloner.ts';

/** A voice to be found, mixed or made up, as it crosses to the process that does it. */
export type CloningJob = FindingJob | MixingJob | DesigningJob | GettingReady;

/** Nothing but to load what finding a voice needs. */
export interface GettingReady {
  readonly isGettingReady: true;
}

/** Voices of nobody, to be made up after a wish. */
export interface DesigningJob {
  readonly wish: VoiceTargets;
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

/** What a job finds in its worker. */
export interface CloningContext {
  finder(): Promise<VoiceEncoder>;
  /** The vectors of the engine's own speakers. */
  speakers(): Promise<readonly Float32Array[]>;
  /** The engine whose voices are vectors. */
  engine(): Promise<Pick<TtsEngine, 'name' | 'sampleRateHz'> & { speak: SpeakTrial }>;
}

/** What a job that makes up voices finds besides. */
export interface DesigningContext extends CloningContext {
  finder(): Promise<VoiceEncoder & TraitReader>;
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
