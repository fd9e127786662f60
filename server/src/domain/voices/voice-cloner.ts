import type { PitchCorrection } from '../engines/tts-engine.ts';
import type { Gender } from '../engines/voice-encoder.ts';
import type { TranscribedSpeech } from '../engines/voice-search.ts';

/** A cloned, designed or mixed voice, as input of an engine. */
export interface ClonedVoice {
  /** The engine, which accepts speaker vectors. */
  readonly engine: string;
  /** `EngineVoice` of kind `vector`. */
  readonly vector: Float32Array;
  /** `EngineVoice.pitchCorrection`; absent when no correction is needed. */
  readonly pitchCorrection?: PitchCorrection | undefined;
  /** Loudness of its speech before normalization, as `Voice.loudnessLufs`. */
  readonly loudnessLufs: number;
  readonly gender: Gender;
  /** Quality measures of the cloner by name; stored with the voice and shown to its owner. */
  readonly measures: Readonly<Record<string, number>>;
}

/** An input of a mixed voice: a speaker vector, or the number of a speaker of the engine. */
export interface MixPart {
  readonly engine: string;
  readonly voice: Float32Array | number;
  /** Pitch correction of the voice; averaged by weight in the mixed voice. */
  readonly pitchCorrection?: PitchCorrection | undefined;
  /** Above 0; only the ratios matter. */
  readonly weight: number;
}

/** Clones voices from recordings. Implemented by the worker processes. */
export interface VoiceCloner {
  /** Name and version. Stored with the voice, so that a better cloner can repeat the cloning. */
  readonly name: string;
  /** The engine of the cloned voices. */
  readonly engine: string;
  /** Sample rate of the clips. */
  readonly sampleRateHz: number;
  /**
   * Clones a usable voice within seconds. Clips are mono speech of one speaker at the sample rate of the cloner, without
   * long pauses, 0.5 to 60 seconds each. Throws an `ApiError` such as `engine_unavailable`, or the reason of the signal.
   */
  clone(clips: readonly Float32Array[], signal: AbortSignal): Promise<ClonedVoice>;
  /** Mixes cloned voices and speakers. */
  mix(parts: readonly MixPart[], signal: AbortSignal): Promise<ClonedVoice>;
  /**
   * Refines a voice: yields each measurable improvement and ends when there is none. Runs at a lower priority than live
   * traffic. Absent when the cloner has no refinement.
   */
  refine?(
    clips: readonly Float32Array[],
    start: RefinementStart,
    signal: AbortSignal,
  ): AsyncIterable<ClonedVoice>;
}

/** What a refinement starts from besides the clips. */
export interface RefinementStart {
  readonly from: ClonedVoice;
  /** A part of the clips with its transcript. With it a cloner can compare single sounds. */
  readonly excerpt?: TranscribedSpeech | undefined;
}

/** Transcribes clips for which the client sent no text. */
export interface ClipTranscriber {
  /** Mono at 16 kHz. The language is an ISO 639-1 code, or undefined when unknown. */
  transcribe(
    samples16k: Float32Array,
    signal: AbortSignal,
  ): Promise<{ readonly text: string; readonly language: string | undefined }>;
}
