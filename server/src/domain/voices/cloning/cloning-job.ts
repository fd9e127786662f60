import type { CloningEngine } from '../../engines/cloning-engine.ts';
import type { EngineVoice, SpeechPart, TtsEngine } from '../../engines/tts-engine.ts';
import type { VoiceEncoder, VoiceTraitEstimator, VoiceTraits } from '../../engines/voice-encoder.ts';
import type { TranscribedSpeech, VoiceSearch } from '../../engines/voice-search.ts';
import type { VoiceTargets } from '../design/voice-description.ts';
import type { ReadTask } from '../intake/clip-reader.ts';
import type { Clip } from '../intake/read-clip.ts';
import type { ClonedVoice, MixPart } from '../voice-cloner.ts';

/** A job of a cloning worker. `read` yields clips, `preload` loads the models and the engine; the others yield voices. */
export type CloningJob =
  | ({ readonly kind: 'read' } & ReadTask)
  | ({ readonly kind: 'clone'; readonly engine: CloningEngine } & CloneTask)
  | { readonly kind: 'mix'; readonly parts: readonly MixPart[] }
  | ({ readonly kind: 'design' } & DesignTask)
  | { readonly kind: 'preload'; readonly engine: CloningEngine };

/** A result of a cloning job. */
export type CloningEvent =
  | { readonly kind: 'voice'; readonly voice: ClonedVoice }
  | { readonly kind: 'clip'; readonly clip: Clip };

/** Designs voices without a recording. */
export interface DesignTask {
  readonly targets: VoiceTargets;
  readonly count: number;
  /** Equal tasks give equal voices. */
  readonly seed: number;
}

/** Clones the voice of a reference recording. */
export interface CloneTask {
  /** Speech of one speaker, mono at the sample rate of the voice encoder. */
  readonly clips: readonly Float32Array[];
  /** Speaker vector to refine. Without it the task yields one voice that is usable immediately. */
  readonly from?: Float32Array | undefined;
  /** A part of the clips with its transcript, for a refinement. */
  readonly excerpt?: TranscribedSpeech | undefined;
}

/** Services of the worker for a cloning job. */
export interface CloningContext {
  encoder(): Promise<VoiceEncoder>;
  /** Speaker vectors of the engine's own speakers. */
  speakers(): Promise<readonly Float32Array[]>;
  /** The engine that accepts speaker vectors. */
  engine(): Promise<Pick<TtsEngine, 'name' | 'sampleRateHz'> & { speak: SpeakTrial }>;
}

/** Further services for a cloning job of an engine with gradients. */
export interface SearchContext extends CloningContext {
  search(): Promise<VoiceSearch>;
}

/** Further services for a design job. */
export interface DesignContext extends CloningContext {
  encoder(): Promise<VoiceEncoder & VoiceTraitEstimator>;
  /** Traits of the engine's own speakers, in their order. */
  speakerTraits(): Promise<readonly VoiceTraits[]>;
  /** Gradient of the naturalness score (predicted MOS) in the space of speaker vectors. */
  naturalnessGradient(): Promise<Float32Array>;
}

/** Speaks a trial sentence. */
export type SpeakTrial = (
  sentence: string,
  voice: EngineVoice,
  signal: AbortSignal,
) => AsyncIterable<SpeechPart>;
