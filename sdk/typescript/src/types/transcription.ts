import type { AudioInput } from './requests.ts';
import type { Segment } from './speech.ts';

/** A recording to transcribe, and options. */
export interface TranscriptionRequest {
  /** The recording. */
  readonly audio: AudioInput;
  /** `transcribe-1` (the default) or `transcribe-1-pro`. */
  readonly model?: string;
  /** Language hint, such as `en`. */
  readonly language?: string;
  /** Omit word times. */
  readonly ignore_timestamps?: boolean;
  /** Names and terms that are likely to occur. */
  readonly prompt?: string;
  /** `transcribe-1-pro`: whether to diarize. Default: true. */
  readonly diarize?: boolean;
  /** `transcribe-1-pro`: number of speakers. */
  readonly num_speakers?: number;
  /** Names and terms that are likely to occur: a list, or comma-separated text. */
  readonly vocabulary?: readonly string[];
  /** `transcribe-1-pro`: minimum number of speakers. */
  readonly min_speakers?: number;
  /** `transcribe-1-pro`: maximum number of speakers. */
  readonly max_speakers?: number;
  /** Response format; takes precedence over `Accept`. */
  readonly format?: 'json' | 'verbose';
  /** `split` transcribes each channel separately. Default: `mix`. */
  readonly channels?: 'mix' | 'split';
  /** Accepted and ignored: no installed model detects audio events. */
  readonly tag_audio_events?: boolean;
}

export interface Transcription {
  /** The text. */
  readonly text: string;
  /** Duration in seconds. */
  readonly duration: number;
  /** Words with their times. */
  readonly segments: readonly Segment[];
  /** ISO 639-1. Null without speech. */
  readonly language_code?: string | null;
  /** Its English name. */
  readonly language?: string | null;
  /** Who spoke when; only with `diarize`. */
  readonly speaker_turns?: readonly {
    /** The speaker, such as `A`. */
    readonly speaker: string;
    /** The text. */
    readonly text: string;
    /** Start in seconds. */
    readonly start: number;
    /** End in seconds. */
    readonly end: number;
  }[];
  /** Identifies the request in the log of the server. */
  readonly request_id?: string;
  /** Segments between pauses; only with `format: 'verbose'`. */
  readonly phrases?: readonly Phrase[];
}

/** A segment between two pauses. */
export interface Phrase {
  /** The text. */
  readonly text: string;
  /** Start in seconds. */
  readonly start: number;
  /** End in seconds. */
  readonly end: number;
  /** Confidence of the model. */
  readonly confidence: number;
  /** Language tag, such as `en`. */
  readonly language_code: string;
  /** Only `transcribe-1-pro`. */
  readonly speaker?: string;
  /** Its words. */
  readonly words: readonly Segment[];
}

/** Progress, segments and result of a transcription. */
export type TranscriptionEvent =
  | {
      /** The kind of event. */
      readonly event: 'progress';
      /** 0 to 1. */
      readonly progress: number;
      /** Transcribed seconds of the recording. */
      readonly heard: number;
    }
  | ({ readonly event: 'segment' } & Phrase)
  | { readonly event: 'finish'; readonly transcription: Transcription };

/** A transcription in the background. */
export interface TranscriptionJob {
  /** Its id. */
  readonly id: string;
  /** Where it is in its life. */
  readonly status: 'queued' | 'running' | 'finished' | 'failed' | 'cancelled';
  /** 0 to 1. */
  readonly progress: number;
  /** Transcribed seconds of the recording. */
  readonly heard: number;
  /** ISO 8601. */
  readonly created_at: string;
  /** ISO 8601; null until then. */
  readonly finished_at: string | null;
  /** The complete transcription when `finished`, the transcription so far before that. */
  readonly result: Transcription;
  /** The error of a failed job. */
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** A result of live transcription. */
export type LiveTranscriptionEvent =
  | { readonly event: 'partial'; readonly text: string; readonly start: number; readonly end: number }
  | {
      /** The kind of event. */
      readonly event: 'segment';
      /** The text. */
      readonly text: string;
      /** Start in seconds. */
      readonly start: number;
      /** End in seconds. */
      readonly end: number;
      /** Its words with their times. */
      readonly segments?: readonly Segment[];
    };
