import type { PitchCorrection } from '../engines/tts-engine.ts';
import type { Gender } from '../engines/voice-encoder.ts';

/** A voice found from recordings of a person, as an engine takes it. */
export interface ClonedVoice {
  /** The engine that speaks it, which takes voices as vectors. */
  readonly engine: string;
  /** `EngineVoice` of kind `vector`. */
  readonly vector: Float32Array;
  /** What the engine leaves to be done about its melody, as `EngineVoice.melody`; absent where that is nothing. */
  readonly melody?: PitchCorrection | undefined;
  /** Loudness of its speech before levelling, as `Voice.loudnessLufs`. */
  readonly loudnessLufs: number;
  readonly gender: Gender;
  /** What the cloner measured about its own work, by name; kept with the voice and shown to its owner. */
  readonly measures: Readonly<Record<string, number>>;
}

/** A voice that goes into a blend: a vector, or one of the engine's own speakers by number. */
export interface MixPart {
  readonly voice: Float32Array | number;
  /** What is done to the voice's melody behind the engine; the blend gets its share of it. */
  readonly melody?: PitchCorrection | undefined;
  /** Above 0; only the ratios count. */
  readonly weight: number;
}

/** Finds the voice of a person from recordings. Implemented on the worker processes. */
export interface VoiceCloner {
  /** Name and version. Kept with the voice, so that a better cloner can do it again. */
  readonly name: string;
  /** The engine that speaks what it finds. */
  readonly engine: string;
  /** The rate at which it listens. */
  readonly sampleRateHz: number;
  /**
   * Finds a voice that can be used at once, within seconds. Clips are mono speech of one person at the
   * cloner's rate, without long pauses, half a second to a minute each. Throws an `ApiError`
   * (`engine_unavailable` and its kin), or the signal's reason.
   */
  clone(clips: readonly Float32Array[], signal: AbortSignal): Promise<ClonedVoice>;
  /** Blends voices of its engine into one. */
  mix(parts: readonly MixPart[], signal: AbortSignal): Promise<ClonedVoice>;
  /**
   * Goes on from a voice, yielding one whenever it has measurably come closer, and ends when it no longer
   * does. Gives way to live traffic. Absent when the cloner has no slower, better way.
   */
  refine?(clips: readonly Float32Array[], from: ClonedVoice, signal: AbortSignal): AsyncIterable<ClonedVoice>;
}

/** Writes down what is said in a clip whose text the client did not send. */
export interface ClipTranscriber {
  /** Mono at 16 kHz. The language is an ISO 639-1 code, or undefined when it could not be told. */
  transcribe(
    samples16k: Float32Array,
    signal: AbortSignal,
  ): Promise<{ readonly text: string; readonly language: string | undefined }>;
}
