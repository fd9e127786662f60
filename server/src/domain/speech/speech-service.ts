import type { AudioFormat } from '../../audio/formats.ts';
import type { DictionaryMatcher } from '../../text/normalise/fixed-spans.ts';
import type { Language } from '../../text/piece.ts';
import type { Voice } from '../voices/voice.ts';
import type { TimedAudio } from './timing/timed-audio.ts';

/** How much quality may be traded for an earlier first sound. */
export const LATENCIES = ['normal', 'balanced', 'low'] as const;
export type Latency = (typeof LATENCIES)[number];

/** A checked request to speak: every default is filled in, every range holds. */
export interface SpeechRequest {
  readonly accountId: string;
  /** The trace id of the request, for logs. */
  readonly requestId: string;
  /** As the client sent it. May be empty: that gives an empty, valid audio file. */
  readonly text: string;
  /** A wire model id such as `s1`, with aliases already resolved. */
  readonly model: string;
  /** Id or name of the voice, or those of speakers 0, 1, …; undefined means the default voice. */
  readonly voice: string | readonly string[] | undefined;
  /** Voices of this request that are in no catalogue, by their ids. */
  readonly ownVoices?: readonly Voice[];
  readonly format: AudioFormat;
  /** One the format can carry; undefined means the format's default. */
  readonly sampleRateHz: number | undefined;
  readonly mp3BitrateKbps: 64 | 128 | 192;
  readonly opusBitrateBps: number | 'auto';
  /** 0.5 to 2; 1 is the voice's own pace. */
  readonly speed: number;
  /** -20 to 20; 0 leaves the level as it is. */
  readonly volumeDb: number;
  readonly normalizeLoudness: boolean;
  /** Whether numbers, dates and the like are spelled out. */
  readonly normalize: boolean;
  readonly chunkLength: number;
  readonly minChunkLength: number;
  readonly latency: Latency;
  readonly conditionOnPreviousChunks: boolean;
  /** 0 to 1. */
  readonly temperature: number;
  /** Two equal requests with a seed give equal bytes. */
  readonly seed: number | undefined;
  /** Whether word times come with the shapes of the mouth. */
  readonly visemes?: boolean;
  /** How some words sound, whatever they look like. */
  readonly pronunciations?: DictionaryMatcher | undefined;
  /** Undefined means the voice's own language. */
  readonly language: Language | undefined;
}

/** Speech that has begun: the first audio exists. */
export interface SpeechResult {
  readonly contentType: string;
  /** The wire model that answered, the engine that speaks, and the voice's name. */
  readonly model: string;
  readonly engine: string;
  readonly voice: string;
  /** The audio file, as it is made. Throws when synthesis fails midway. */
  readonly body: AsyncIterable<Uint8Array>;
  /**
   * How much of the text, from its start, was spoken by what has been taken from the body so far. Counts
   * stretches that were taken whole: sentences, or clauses of long ones.
   */
  readonly deliveredChars: () => number;
}

/** Speech that has begun, with the times of its words. */
export interface TimedSpeechResult extends Omit<SpeechResult, 'body'> {
  /** The audio of all of them, joined, is the file that `SpeakResult.body` would be. */
  readonly body: AsyncIterable<TimedAudio>;
}

/** Speech of a text that is still being written. */
export interface LiveSpeech {
  /** Adds to the text. Throws an `ApiError` when too much of it waits to be spoken. */
  write(text: string): void;
  /** Everything so far is to be spoken now, whether a sentence or not. */
  flush(): void;
  /** The text is complete. */
  end(): void;
  /** How much of the text, from its start, was spoken by what has been taken from the body so far. */
  readonly deliveredChars: () => number;
  /**
   * One audio file over the whole text, as it is made; nothing at all when there was no word to say. Throws an
   * `ApiError` when it cannot go on. Must be read to its end, or left by aborting the signal.
   */
  readonly body: AsyncIterable<TimedAudio>;
}

/** Turns text into an audio file that can be heard while it is made. */
export interface SpeechService {
  /**
   * Resolves once the first audio exists, and rejects with an `ApiError` for everything that can be refused.
   * Aborting the signal, or leaving the body early, stops the engine.
   */
  speak(request: SpeechRequest, signal: AbortSignal): Promise<SpeechResult>;
  /** Like `speak`, and tells when each word is heard. */
  speakTimed(request: SpeechRequest, signal: AbortSignal): Promise<TimedSpeechResult>;
  /** Opens a session whose text begins with that of the request. Throws an `ApiError` when it is refused. */
  speakLive(request: SpeechRequest, signal: AbortSignal): LiveSpeech;
}
