/** Audio to send: a file, bytes, or a stream of bytes. */
export type AudioInput =
  | Blob
  | ArrayBuffer
  | Uint8Array
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>;

/** A reference recording of a voice, and its transcript. */
export interface ReferenceAudio {
  readonly audio: AudioInput;
  readonly text?: string;
}

/** Options of synthesis. The fields are those of `POST /v1/tts`; the API reference describes them. */
export interface SpeechOptions {
  /** A wire model such as `s1` or `s2-pro`; the server has a default. */
  readonly model?: string;
  /** Id or name of a voice; several for a text with `<|speaker:N|>`. */
  readonly reference_id?: string | readonly string[];
  readonly references?: readonly ReferenceAudio[];
  readonly prosody?: {
    readonly speed?: number;
    readonly volume?: number;
    readonly normalize_loudness?: boolean;
  };
  readonly format?: 'mp3' | 'wav' | 'pcm' | 'opus' | 'flac';
  readonly sample_rate?: number;
  readonly mp3_bitrate?: 64 | 128 | 192;
  readonly opus_bitrate?: number;
  readonly latency?: 'normal' | 'balanced' | 'low';
  readonly chunk_length?: number;
  readonly min_chunk_length?: number;
  readonly normalize?: boolean;
  readonly temperature?: number;
  readonly top_p?: number;
  readonly seed?: number;
  readonly language?: string;
  readonly pronunciation_dictionary?: readonly object[];
  /** Any further field of the wire. */
  readonly [field: string]: unknown;
}

/** A text to synthesize, and options. */
export interface SpeechRequest extends SpeechOptions {
  readonly text: string;
}

/** A word with its start and end in seconds. */
export interface Segment {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Offset in the text of the request. */
  readonly char_start?: number;
  readonly char_end?: number;
  readonly confidence?: number;
}

/** A chunk of speech with word times. */
export interface TimedSpeech {
  readonly audio: Uint8Array;
  /** The text that `alignment` describes. */
  readonly content: string;
  /** All words of the chunk so far; replaces an earlier one of the same `chunkSeq`. Times are relative to `chunkAudioOffsetSeconds`. */
  readonly alignment: { readonly segments: readonly Segment[]; readonly audio_duration: number } | null;
  readonly chunkSeq: number;
  readonly chunkAudioOffsetSeconds: number;
}

/** A recording to transcribe, and options. */
export interface TranscriptionRequest {
  readonly audio: AudioInput;
  /** `transcribe-1` (the default) or `transcribe-1-pro`. */
  readonly model?: string;
  /** Language hint, such as `en`. */
  readonly language?: string;
  /** Omit word times. */
  readonly ignore_timestamps?: boolean;
  /** Names and terms that are likely to occur. */
  readonly prompt?: string;
  readonly diarize?: boolean;
  readonly num_speakers?: number;
  readonly vocabulary?: readonly string[];
  readonly [field: string]: unknown;
}

export interface Transcription {
  readonly text: string;
  /** Duration in seconds. */
  readonly duration: number;
  readonly segments: readonly Segment[];
  readonly language_code?: string | null;
  readonly language?: string | null;
  readonly speaker_turns?: readonly {
    readonly speaker: string;
    readonly text: string;
    readonly start: number;
    readonly end: number;
  }[];
  readonly request_id?: string;
  /** Segments between pauses; only with `format: 'verbose'`. */
  readonly phrases?: readonly Phrase[];
}

/** A segment between two pauses. */
export interface Phrase {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly confidence: number;
  readonly language_code: string;
  readonly speaker?: string;
  readonly words: readonly Segment[];
}

/** Progress, segments and result of a transcription. */
export type TranscriptionEvent =
  | {
      readonly event: 'progress';
      /** 0 to 1. */
      readonly progress: number;
      /** Transcribed seconds of the recording. */
      readonly heard: number;
    }
  | ({ readonly event: 'segment' } & Phrase)
  | { readonly event: 'finish'; readonly transcription: Transcription };

/** A book to be spoken: a text, or a file (EPUB, Markdown or plain text). */
export interface AudiobookRequest {
  readonly text?: string | undefined;
  readonly file?: AudioInput | undefined;
  /** Its extension helps to detect the format. */
  readonly file_name?: string | undefined;
  readonly input_format?: 'text' | 'markdown' | 'epub' | undefined;
  readonly model?: string | undefined;
  readonly title?: string | undefined;
  readonly author?: string | undefined;
  readonly language?: string | undefined;
  readonly reference_id?: string | undefined;
  readonly pronunciation_dictionary?: SpeechOptions['pronunciation_dictionary'];
  /** Voices and dictionaries of single chapters. */
  readonly chapters?:
    | readonly {
        /** From 1. */
        readonly number: number;
        readonly reference_id?: string | undefined;
        readonly pronunciation_dictionary?: SpeechOptions['pronunciation_dictionary'];
      }[]
    | undefined;
  /** Default: `mp3`. `m4b` needs ffmpeg on the server. */
  readonly format?: 'mp3' | 'm4b' | undefined;
  /** In kbps. */
  readonly bitrate?: 64 | 128 | 192 | undefined;
  readonly speed?: number | undefined;
  /** Two equal books with equal seeds give equal audio. */
  readonly seed?: number | undefined;
}

/** A book that is spoken in the background. */
export interface Audiobook {
  readonly id: string;
  readonly status: 'queued' | 'running' | 'paused' | 'finished' | 'failed';
  /** 0 to 1. */
  readonly progress: number;
  readonly title: string | null;
  readonly author: string | null;
  readonly format: 'mp3' | 'm4b';
  readonly chapters: readonly {
    readonly number: number;
    readonly title: string;
    readonly characters: number;
    /** Seconds; null until the book is finished. */
    readonly start: number | null;
    readonly end: number | null;
  }[];
  readonly created_at: string;
  readonly finished_at: string | null;
  /** Why it failed, or was paused by the server. */
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** A transcription in the background. */
export interface TranscriptionJob {
  readonly id: string;
  readonly status: 'queued' | 'running' | 'finished' | 'failed' | 'cancelled';
  /** 0 to 1. */
  readonly progress: number;
  /** Transcribed seconds of the recording. */
  readonly heard: number;
  readonly created_at: string;
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
      readonly event: 'segment';
      readonly text: string;
      readonly start: number;
      readonly end: number;
      readonly segments?: readonly Segment[];
    };

export type Visibility = 'public' | 'unlist' | 'private';

/** A voice as the server describes it. */
export interface Voice {
  readonly _id: string;
  readonly type: 'tts' | 'svc';
  readonly title: string;
  readonly description: string;
  readonly cover_image: string;
  readonly train_mode: 'fast' | 'full';
  readonly state: 'created' | 'training' | 'trained' | 'failed';
  readonly tags: readonly string[];
  readonly samples: readonly {
    readonly title: string;
    readonly text: string;
    readonly task_id: string;
    readonly audio: string;
  }[];
  readonly created_at: string;
  readonly updated_at: string;
  readonly languages: readonly string[];
  readonly visibility: Visibility;
  readonly lock_visibility: boolean;
  readonly like_count: number;
  readonly mark_count: number;
  readonly shared_count: number;
  readonly task_count: number;
  readonly author: { readonly _id: string; readonly nickname: string; readonly avatar: string };
  readonly gender?: 'female' | 'male' | 'unknown' | undefined;
  /** Text for a first try of the voice. */
  readonly default_text?: string | undefined;
  /** `voice_design` for a designed voice. */
  readonly source?: 'voice_design' | undefined;
  /** The verdicts on the recordings of a cloned voice. */
  readonly quality?:
    | {
        /** Similarity of the voice to its recordings; 1 is equal. */
        readonly similarity?: number | undefined;
        /** The same before the refinement. */
        readonly first_similarity?: number | undefined;
        readonly audios: readonly {
          readonly filename: string;
          readonly duration_ms: number;
          readonly language: string;
          readonly quality: Readonly<Record<string, number>>;
          readonly quality_passed: boolean;
          /** Codes and sentences; empty without problems. */
          readonly quality_reason: string;
        }[];
      }
    | undefined;
}

export interface VoiceQuery {
  readonly title?: string;
  readonly tag?: string | readonly string[];
  readonly self?: boolean;
  readonly author_id?: string;
  readonly language?: string | readonly string[];
  readonly sort_by?: 'score' | 'task_count' | 'created_at';
  readonly page_size?: number;
  readonly page_number?: number;
}

export interface NewVoice {
  readonly title: string;
  /** Recordings of the voice. */
  readonly voices: readonly AudioInput[];
  /** Transcript of each recording; the server transcribes when absent. */
  readonly texts?: readonly string[];
  readonly description?: string;
  readonly visibility?: Visibility;
  readonly tags?: readonly string[];
  readonly cover_image?: AudioInput;
  readonly enhance_audio_quality?: boolean;
  /** For candidates of `voices.design`: the signature of each. */
  readonly voice_design_signatures?: readonly string[];
  readonly [field: string]: unknown;
}

/** A voice to design. The fields are those of `POST /v1/voice-design`. */
export interface VoiceDesignRequest {
  /** The voice in plain English. */
  readonly instruction: string;
  /** Text of the audio of the candidates. */
  readonly reference_text?: string;
  readonly language?: string;
  /** Number of candidates, 1 to 4. */
  readonly n?: number;
  readonly speed?: number;
  readonly seed?: number;
}

/** A designed voice. */
export interface DesignCandidate {
  readonly id: string;
  readonly index: number;
  /** A complete WAV file. */
  readonly audio: Uint8Array<ArrayBuffer>;
  readonly sample_rate: number;
  readonly duration_ms: number;
  readonly text: string;
  readonly features: Readonly<Record<string, string | number | null>>;
  /** For `voice_design_signatures` of `voices.create`, with `audio` as the recording. */
  readonly signature: string;
}

/** Designed voices, and which words of the instruction were applied. */
export interface VoiceDesign {
  readonly candidates: readonly DesignCandidate[];
  /** The same seed returns the same candidates. */
  readonly seed: number;
  readonly understood: readonly string[];
  readonly ignored: readonly string[];
}

export interface VoiceChanges {
  readonly title?: string;
  readonly description?: string;
  readonly visibility?: Visibility;
  readonly tags?: readonly string[];
  readonly cover_image?: AudioInput;
}

export interface Credit {
  readonly _id: string;
  readonly user_id: string;
  /** US dollars, as a decimal string. */
  readonly credit: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly has_phone_sha256: boolean;
  readonly has_free_credit?: boolean | null;
}

export interface Package {
  readonly _id: string;
  readonly user_id: string;
  readonly type: string;
  readonly total: number;
  readonly balance: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly finished_at: string;
}

/** The period and grouping of a usage report. Days are `YYYY-MM-DD`; `to` is exclusive. */
export interface UsageQuery {
  readonly from?: string;
  readonly to?: string;
  /** Grouping, such as `day,model`. */
  readonly by?: string;
}

export interface Usage {
  readonly from: string;
  readonly to: string;
  readonly items: readonly UsageItem[];
  /** US dollars, as a decimal string. */
  readonly cost: string;
}

/** Usage of one service within a group. */
export interface UsageItem {
  readonly service: string;
  readonly day?: string | undefined;
  readonly account?: string | undefined;
  readonly key?: string | undefined;
  readonly model?: string | undefined;
  readonly voice?: string | undefined;
  readonly requests: number;
  /** Bytes of text, seconds of audio, or requests. */
  readonly units: number;
  readonly cost: string;
}

/** State of the server. */
export interface Health {
  readonly status: 'ok' | 'loading' | 'degraded';
  readonly live: boolean;
  /** Whether the server can synthesize now. */
  readonly ready: boolean;
  readonly version: string;
  readonly models: readonly {
    readonly id: string;
    readonly state: string;
    readonly received_bytes?: number;
    readonly total_bytes?: number;
    readonly message?: string;
  }[];
  readonly workers: readonly {
    readonly id: string;
    readonly state: string;
    readonly engines?: readonly string[];
    readonly active?: number;
    readonly restarts?: number;
    readonly memory_mb?: number;
  }[];
}

/** Options of one call that override those of the client. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Maximum wait for the response to begin and for each further chunk; for live sessions, to connect. */
  readonly timeoutMs?: number | undefined;
  /** Retries after 408, 429, 5xx and broken connections. */
  readonly maxRetries?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}
