import type { Mp3BitrateKbps } from '../../audio/encode/mp3-encoder.ts';
import type { SpeechFormat } from '../../audio/formats.ts';
import type { DictionaryMatcher } from '../../text/normalise/fixed-spans.ts';
import type { Language } from '../../text/piece.ts';
import type { Voice } from '../voices/voice.ts';
import type { DirectedRange } from './acting/directed-range.ts';
import type { TimedAudio } from './timing/timed-audio.ts';

/** How much quality may be traded for an earlier first audio. */
export const LATENCIES = ['normal', 'balanced', 'low'] as const;
export type Latency = (typeof LATENCIES)[number];

/** A validated speech request: defaults are applied, ranges are checked. */
export interface SpeechRequest {
  readonly accountId: string;
  /** The trace id of the request, for logs. */
  readonly requestId: string;
  /** When the request of a client was received, by the monotonic clock; undefined for speech of the server itself. */
  readonly receivedAtMs?: number | undefined;
  /** As received. An empty text gives an empty, valid audio file. */
  readonly text: string;
  /** A wire model id such as `s1`, with aliases already resolved. */
  readonly model: string;
  /** The resolved voice, or those of speakers 0, 1, …; undefined: the default voice. */
  readonly voice: Voice | readonly Voice[] | undefined;
  readonly format: SpeechFormat;
  /** A rate that the format supports; undefined: the default of the format. */
  readonly sampleRateHz: number | undefined;
  readonly mp3BitrateKbps: Mp3BitrateKbps;
  readonly opusBitrateBps: number | 'auto';
  /** Speaking rate, 0.5 to 2; 1 is the voice's own. */
  readonly speed: number;
  /** Gain, -20 to 20. */
  readonly volumeDb: number;
  readonly normalizeLoudness: boolean;
  /** Whether numbers, dates and other non-standard words are verbalized. */
  readonly normalize: boolean;
  readonly chunkLength: number;
  readonly minChunkLength: number;
  readonly latency: Latency;
  readonly conditionOnPreviousChunks: boolean;
  /** 0 to 1. */
  readonly temperature: number;
  /** Equal requests with equal seeds give equal bytes. */
  readonly seed: number | undefined;
  /** Whether word times include visemes. */
  readonly visemes?: boolean;
  /** Pronunciation dictionaries of the request. */
  readonly pronunciations?: DictionaryMatcher | undefined;
  /** Maximum silence that cues and SSML insert; undefined: that of the settings. */
  readonly silenceMaxSeconds?: number | undefined;
  /** Undefined: the language of the voice. */
  readonly language: Language | undefined;
  /** Deliveries in addition to the cues in the text, in order and without overlap. Live sessions ignore them. */
  readonly directions?: readonly DirectedRange[] | undefined;
}

/** Started speech: the first audio is available. */
export interface SpeechResult {
  readonly contentType: string;
  /** The wire model, the engine, and the names of the voices, separated by commas. */
  readonly model: string;
  readonly engine: string;
  readonly voice: string;
  /** Warnings about the text, in ASCII. */
  readonly warnings?: readonly string[];
  /** The audio file, streamed. Throws if the synthesis fails after the start. */
  readonly body: AsyncIterable<Uint8Array>;
  /**
   * UTF-8 bytes of the text up to the end of the last piece of which audio was read from the body, with the dictionary
   * bytes of these pieces.
   */
  readonly deliveredBytes: () => number;
  /** Bytes by which dictionary entries exceed the text that they replace, in the pieces synthesized so far. */
  readonly dictionaryBytes: () => number;
}

/** Started speech with word times. */
export interface TimedSpeechResult extends Omit<SpeechResult, 'body'> {
  /** The concatenated audio equals `SpeechResult.body`. */
  readonly body: AsyncIterable<TimedAudio>;
}

/** Speech of a text that is still being received. */
export interface LiveSpeech {
  /** Appends text. Throws `text_too_long` if the text buffer is full. */
  write(text: string): void;
  /** Synthesizes all buffered text, even an incomplete sentence. */
  flush(): void;
  /** Marks the text as complete. */
  end(): void;
  /**
   * UTF-8 bytes of the text up to the end of the last piece of which audio was read from the body, with the dictionary
   * bytes of these pieces.
   */
  readonly deliveredBytes: () => number;
  /** Bytes by which dictionary entries exceed the text that they replace, in the pieces synthesized so far. */
  readonly dictionaryBytes: () => number;
  /**
   * One audio file for the complete text, streamed; no bytes if the text has no speech. Throws an `ApiError` if the
   * synthesis fails. The caller must read it to its end or abort the signal.
   */
  readonly body: AsyncIterable<TimedAudio>;
}

/** Text to a streamed audio file. */
export interface SpeechService {
  /**
   * Resolves when the first audio is available; rejects with an `ApiError` for an invalid request. Aborting the
   * signal or ending the body early stops the engine.
   */
  speak(request: SpeechRequest, signal: AbortSignal): Promise<SpeechResult>;
  /** Like `speak`, with word times. */
  speakTimed(request: SpeechRequest, signal: AbortSignal): Promise<TimedSpeechResult>;
  /** Opens a live session; the text of the request is its first text. Throws an `ApiError` for an invalid request. */
  speakLive(request: SpeechRequest, signal: AbortSignal): LiveSpeech;
}
