import { createHash } from 'node:crypto';
import type { Language } from '../../text/piece.ts';
import type { PitchCorrection, ReferenceRecording } from '../engines/tts-engine.ts';
import type { Gender } from '../engines/voice-encoder.ts';

/** A voice a client can name. Which engine speaks it is part of the voice, not of the request. */
export interface Voice {
  /** 32 hex digits, equal on every installation. */
  readonly id: string;
  /** The name people type: `af_heart`, `libritts-123`. Unique. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly engine: string;
  /** What the engine calls it. */
  readonly engineVoice: string;
  /** The voice as numbers, for engines that take it so; `engineVoice` is then only a name. */
  readonly vector?: Float32Array;
  /** What is done to the melody of a voice of numbers. */
  readonly melody?: PitchCorrection | undefined;
  /** How the person sounds, at `RECORDING_RATE_HZ`, for engines that speak like a recording. */
  readonly recording?: ReferenceRecording | undefined;
  /** The language it was made for, as the text front end reads it. */
  readonly language: Language;
  /** The same for people, as a BCP 47 tag: `de-DE` where `language` is `und`. */
  readonly locale: string;
  readonly gender: Gender;
  /** Measured loudness of its speech; levelling starts from it. */
  readonly loudnessLufs: number;
  readonly tags: readonly string[];
  /** Unlisted voices can be used and looked up, but are not in lists. */
  readonly isListed: boolean;
  readonly createdAtMs: number;
}

/** The rate of a voice's `recording`. */
export const RECORDING_RATE_HZ = 24_000;

/** The id of a built-in voice. It depends on nothing but its engine and name, so it never changes. */
export function voiceId(engine: string, name: string): string {
  return createHash('sha256').update(`mynah:voice:${engine}:${name}`).digest('hex').slice(0, 32);
}
