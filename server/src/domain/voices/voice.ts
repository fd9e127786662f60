import { createHash } from 'node:crypto';
import type { Language } from '../../text/piece.ts';
import type { PitchCorrection, ReferenceRecording } from '../engines/tts-engine.ts';
import type { Gender } from '../engines/voice-encoder.ts';

/** Pauses of a voice within an utterance in seconds, after 50 letters without punctuation. */
export interface VoicePauses {
  /** After a full stop. */
  readonly sentence: number;
  /** After a comma. */
  readonly clause: number;
}

/** A voice. Its engine is a property of the voice, not of the request. */
export interface Voice {
  /** 32 hex digits; for built-in voices equal on every installation. */
  readonly id: string;
  /** Unique name for requests: `af_heart`, `libritts-123`. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly engine: string;
  /** Name of the voice within the engine. */
  readonly engineVoice: string;
  /** Speaker vector, for engines that accept one. `engineVoice` is not used then. */
  readonly vector?: Float32Array;
  /** Correction of the pitch contour of a voice with a speaker vector. */
  readonly pitchCorrection?: PitchCorrection | undefined;
  /** Reference recording at `RECORDING_RATE_HZ`, for zero-shot engines. */
  readonly recording?: ReferenceRecording | undefined;
  /** Language of the voice, in the terms of the text front end. */
  readonly language: Language;
  /** Language as a BCP 47 tag for display: `de-DE` where `language` is `und`. */
  readonly locale: string;
  readonly gender: Gender;
  /** Measured loudness of its speech. Initial value of loudness normalization. */
  readonly loudnessLufs: number;
  /** The loudness is typical of the engine, not measured. */
  readonly isLoudnessTypical?: true;
  /** Measured pauses of its speech; absent: typical ones. */
  readonly pauses?: VoicePauses;
  readonly tags: readonly string[];
  /** Unlisted voices can be used and looked up, but are omitted from lists. */
  readonly isListed: boolean;
  readonly createdAtMs: number;
}

/** Sample rate of `Voice.recording`. */
export const RECORDING_RATE_HZ = 24_000;

/** The id of a built-in voice. Depends only on its engine and name. */
export function voiceId(engine: string, name: string): string {
  return createHash('sha256').update(`mynah:voice:${engine}:${name}`).digest('hex').slice(0, 32);
}
