/** Audio to send: a file, bytes, or a stream of bytes. */
export type AudioInput =
  | Blob
  | ArrayBuffer
  | Uint8Array
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>;

/** A reference recording of a voice, and its transcript. */
export interface ReferenceAudio {
  /** The recording. */
  readonly audio: AudioInput;
  /** What is said in it. */
  readonly text?: string;
}

/** Options of synthesis. The fields are those of `POST /v1/tts`; the API reference describes them. */
export interface SpeechOptions {
  /** A wire model such as `s1` or `s2-pro`; the server has a default. */
  readonly model?: string;
  /** Id or name of a voice; several for a text with `<|speaker:N|>`. */
  readonly reference_id?: string | readonly string[];
  /** Recordings to imitate in this request only. */
  readonly references?: readonly ReferenceAudio[];
  /** Speaking rate and loudness. */
  readonly prosody?: {
    /** Speaking rate: 1 is normal, 2 is twice as fast. */
    readonly speed?: number;
    /** Gain in dB, clamped to -20 … 20. */
    readonly volume?: number;
    /** Normalize the loudness. */
    readonly normalize_loudness?: boolean;
  };
  /** `opus` is in an Ogg container, `pcm` is raw 16-bit little endian. */
  readonly format?: 'mp3' | 'wav' | 'pcm' | 'opus' | 'flac';
  /** In Hz. Default: that of the format. */
  readonly sample_rate?: number;
  /** In kbps; bps is accepted too. */
  readonly mp3_bitrate?: 64 | 128 | 192;
  /** In bps; kbps is accepted too. -1000: automatic. */
  readonly opus_bitrate?: number;
  /** Trade-off between early first audio and quality. */
  readonly latency?: 'normal' | 'balanced' | 'low';
  /** Length of a text segment, in characters. */
  readonly chunk_length?: number;
  /** Minimum length of a text segment, in characters. */
  readonly min_chunk_length?: number;
  /** Verbalize numbers, dates, units and abbreviations. */
  readonly normalize?: boolean;
  /** Variability, clamped to 0 … 1. */
  readonly temperature?: number;
  /** Accepted and ignored. */
  readonly top_p?: number;
  /** Two equal requests with a seed give equal bytes. */
  readonly seed?: number;
  /** Language of the text, e.g. `en-GB`. Default: that of the voice. */
  readonly language?: string;
  /** Up to three dictionaries by descending priority: published versions, or lists of items. */
  readonly pronunciation_dictionary?: readonly object[];
  /** Keep the delivery consistent across segments. */
  readonly condition_on_previous_chunks?: boolean;
  /** Accepted and ignored. */
  readonly repetition_penalty?: number;
  /** Accepted and ignored. */
  readonly max_new_tokens?: number;
  /** Accepted and ignored. */
  readonly early_stop_threshold?: number;
  /** Accepted and ignored. */
  readonly features?: readonly string[];
  /** Extension: whether word times include visemes. */
  readonly visemes?: boolean;
  /** Accepted and ignored: audio is always streamed. */
  readonly streaming?: boolean;
  /** Accepted and ignored. */
  readonly use_memory_cache?: 'on' | 'off';
}

/** A text to synthesize, and options. */
export interface SpeechRequest extends SpeechOptions {
  /** The text to speak. An empty text gives an empty audio file. */
  readonly text: string;
}

/** A word with its start and end in seconds. */
export interface Segment {
  /** The word as written, without punctuation. */
  readonly text: string;
  /** Seconds from the start of the chunk. */
  readonly start: number;
  /** End in seconds. */
  readonly end: number;
  /** Offset in the text of the request. */
  readonly char_start?: number;
  /** End of the word in that text. */
  readonly char_end?: number;
  /** 0 to 1. */
  readonly confidence?: number;
}

/** A chunk of speech with word times. */
export interface TimedSpeech {
  /** The next bytes of the audio file. */
  readonly audio: Uint8Array;
  /** The text that `alignment` describes. */
  readonly content: string;
  /** All words of the chunk so far; replaces an earlier one of the same `chunkSeq`. Times are relative to `chunkAudioOffsetSeconds`. */
  readonly alignment: { readonly segments: readonly Segment[]; readonly audio_duration: number } | null;
  /** Number of the chunk, from 0. */
  readonly chunkSeq: number;
  /** Where the chunk starts in the audio. */
  readonly chunkAudioOffsetSeconds: number;
}

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

/** Captions to be spoken at their times. */
export interface DubRequest {
  /** The content of an `.srt` or `.vtt` file. */
  readonly captions: string;
  /** The wire model; the server has a default. */
  readonly model?: string | undefined;
  /** The voice of captions without a speaker in `speakers`. */
  readonly reference_id?: string | undefined;
  /** Voices by speaker. */
  readonly speakers?: Readonly<Record<string, string>> | undefined;
  /** Maximum speaking rate of captions that need one. Default: 1.3. */
  readonly max_speed?: number | undefined;
  /** Format of the audio. */
  readonly format?: SpeechOptions['format'];
  /** In Hz. */
  readonly sample_rate?: number | undefined;
  /** Language tag, such as `en`. */
  readonly language?: string | undefined;
  /** Equal requests with equal seeds give equal audio. */
  readonly seed?: number | undefined;
  /** Dictionaries, by id or inline. */
  readonly pronunciation_dictionary?: SpeechOptions['pronunciation_dictionary'];
}

/** A book to be spoken: a text, or a file (EPUB, Markdown or plain text). */
export interface AudiobookRequest {
  /** The book as text. */
  readonly text?: string | undefined;
  /** The book as a file. */
  readonly file?: AudioInput | undefined;
  /** Its extension helps to detect the format. */
  readonly file_name?: string | undefined;
  /** Detected when absent. */
  readonly input_format?: 'text' | 'markdown' | 'epub' | undefined;
  /** The wire model; the server has a default. */
  readonly model?: string | undefined;
  /** Its title. */
  readonly title?: string | undefined;
  /** Its author. */
  readonly author?: string | undefined;
  /** Language tag, such as `en`. */
  readonly language?: string | undefined;
  /** Id or name of a voice. */
  readonly reference_id?: string | undefined;
  /** Dictionaries, by id or inline. */
  readonly pronunciation_dictionary?: SpeechOptions['pronunciation_dictionary'];
  /** Voices and dictionaries of single chapters. */
  readonly chapters?:
    | readonly {
        /** From 1. */
        readonly number: number;
        /** Id or name of a voice. */
        readonly reference_id?: string | undefined;
        /** Dictionaries, by id or inline. */
        readonly pronunciation_dictionary?: SpeechOptions['pronunciation_dictionary'];
      }[]
    | undefined;
  /** Default: `mp3`. `m4b` needs ffmpeg on the server. */
  readonly format?: 'mp3' | 'm4b' | undefined;
  /** In kbps. */
  readonly bitrate?: 64 | 128 | 192 | undefined;
  /** Speaking rate; 1 is normal. */
  readonly speed?: number | undefined;
  /** Two equal books with equal seeds give equal audio. */
  readonly seed?: number | undefined;
}

/** A book that is spoken in the background. */
export interface Audiobook {
  /** Its id. */
  readonly id: string;
  /** Where it is in its life. */
  readonly status: 'queued' | 'running' | 'paused' | 'finished' | 'failed';
  /** 0 to 1. */
  readonly progress: number;
  /** Its title. */
  readonly title: string | null;
  /** Its author. */
  readonly author: string | null;
  /** Format of the audio. */
  readonly format: 'mp3' | 'm4b';
  /** Its chapters. */
  readonly chapters: readonly {
    /** From 1. */
    readonly number: number;
    /** Its title. */
    readonly title: string;
    /** Characters of its text. */
    readonly characters: number;
    /** Seconds; null until the book is finished. */
    readonly start: number | null;
    /** End in seconds. */
    readonly end: number | null;
  }[];
  /** ISO 8601. */
  readonly created_at: string;
  /** ISO 8601; null until then. */
  readonly finished_at: string | null;
  /** Why it failed, or was paused by the server. */
  readonly error: { readonly code: string; readonly message: string } | null;
}

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

export type Visibility = 'public' | 'unlist' | 'private';

/** A voice as the server describes it. */
export interface Voice {
  /** Use it as `reference_id`. */
  readonly _id: string;
  /** Its kind. */
  readonly type: 'tts' | 'svc';
  /** Its title. */
  readonly title: string;
  /** Its description. */
  readonly description: string;
  /** The cover image. */
  readonly cover_image: string;
  /** `full` is refined in the background. */
  readonly train_mode: 'fast' | 'full';
  /** Its state. */
  readonly state: 'created' | 'training' | 'trained' | 'failed';
  /** Words for the search. */
  readonly tags: readonly string[];
  /** Recordings of the voice. */
  readonly samples: readonly {
    /** Its title. */
    readonly title: string;
    /** The text. */
    readonly text: string;
    /** For compatibility with Fish Audio. */
    readonly task_id: string;
    /** The audio. */
    readonly audio: string;
  }[];
  /** ISO 8601. */
  readonly created_at: string;
  /** ISO 8601. */
  readonly updated_at: string;
  /** Languages of the voice. */
  readonly languages: readonly string[];
  /** Who can see and use the voice. */
  readonly visibility: Visibility;
  /** For compatibility with Fish Audio. */
  readonly lock_visibility: boolean;
  /** For compatibility with Fish Audio. */
  readonly like_count: number;
  /** For compatibility with Fish Audio. */
  readonly mark_count: number;
  /** For compatibility with Fish Audio. */
  readonly shared_count: number;
  /** For compatibility with Fish Audio. */
  readonly task_count: number;
  /** Its author. */
  readonly author: { readonly _id: string; readonly nickname: string; readonly avatar: string };
  /** Extension. */
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
        /** The verdict on each recording. */
        readonly audios: readonly {
          /** Name of the file. */
          readonly filename: string;
          /** Duration in milliseconds. */
          readonly duration_ms: number;
          /** Language of the recording. */
          readonly language: string;
          /** Measurements of the recording. */
          readonly quality: Readonly<Record<string, number>>;
          /** Whether the recording is used. */
          readonly quality_passed: boolean;
          /** Codes and sentences; empty without problems. */
          readonly quality_reason: string;
        }[];
      }
    | undefined;
}

export interface VoiceQuery {
  /** Words in the title. */
  readonly title?: string;
  /** Tags of the voice. */
  readonly tag?: string | readonly string[];
  /** Only your own voices. */
  readonly self?: boolean;
  /** Voices of one account. */
  readonly author_id?: string;
  /** Languages of the voice. */
  readonly language?: string | readonly string[];
  /** Order of the list. */
  readonly sort_by?: 'score' | 'task_count' | 'created_at';
  /** Voices on a page. */
  readonly page_size?: number;
  /** From 1. */
  readonly page_number?: number;
}

export interface NewVoice {
  /** Its title. */
  readonly title: string;
  /** Recordings of the voice. */
  readonly voices: readonly AudioInput[];
  /** Transcript of each recording; the server transcribes when absent. */
  readonly texts?: readonly string[];
  /** Its description. */
  readonly description?: string;
  /** Default: `private`. */
  readonly visibility?: Visibility;
  /** Words for the search. */
  readonly tags?: readonly string[];
  /** The cover image. */
  readonly cover_image?: AudioInput;
  /** Accepted and ignored. */
  readonly enhance_audio_quality?: boolean;
  /** For candidates of `voices.design`: the signature of each. */
  readonly voice_design_signatures?: readonly string[];
  /** `fast` is usable at once; `full` is too, and is refined in the background. */
  readonly train_mode?: 'fast' | 'full';
  /** Whether a sample of the new voice, a fixed sentence, is synthesized free of charge and added to `samples`. */
  readonly generate_sample?: boolean;
  /** Extension: a statement of the right to use this voice. Stored with the voice, its creator and the time. */
  readonly consent?: string;
  /** Extension: JSON with the ids and weights of voices to mix, in place of recordings. */
  readonly mix?: string;
}

/** A voice to design. The fields are those of `POST /v1/voice-design`. */
export interface VoiceDesignRequest {
  /** The voice in plain English. */
  readonly instruction: string;
  /** Text of the audio of the candidates. */
  readonly reference_text?: string;
  /** A BCP 47 tag. Voices are designed for English only. */
  readonly language?: string;
  /** Number of candidates, 1 to 4. */
  readonly n?: number;
  /** Speaking rate, multiplied by that of the description; the product is clamped to 0.5 … 2. */
  readonly speed?: number;
  /** Two equal requests with a seed give equal candidates. */
  readonly seed?: number;
}

/** A designed voice. */
export interface DesignCandidate {
  /** Its id. */
  readonly id: string;
  /** From 0. */
  readonly index: number;
  /** A complete WAV file. */
  readonly audio: Uint8Array<ArrayBuffer>;
  /** In Hz. */
  readonly sample_rate: number;
  /** Duration in milliseconds. */
  readonly duration_ms: number;
  /** What is said in the audio. */
  readonly text: string;
  /** Measurements of the voice. */
  readonly features: Readonly<Record<string, string | number | null>>;
  /** For `voice_design_signatures` of `voices.create`, with `audio` as the recording. */
  readonly signature: string;
}

/** Designed voices, and which words of the instruction were applied. */
export interface VoiceDesign {
  /** The voices. */
  readonly candidates: readonly DesignCandidate[];
  /** The same seed returns the same candidates. */
  readonly seed: number;
  /** Words of the instruction that were applied. */
  readonly understood: readonly string[];
  /** Words of the instruction that were not applied. */
  readonly ignored: readonly string[];
}

export interface VoiceChanges {
  /** Its title. */
  readonly title?: string;
  /** Its description. */
  readonly description?: string;
  /** Who can see and use the voice. */
  readonly visibility?: Visibility;
  /** Words for the search. */
  readonly tags?: readonly string[];
  /** The cover image. */
  readonly cover_image?: AudioInput;
}

export interface Credit {
  /** Its id. */
  readonly _id: string;
  /** The account. */
  readonly user_id: string;
  /** US dollars, as a decimal string. */
  readonly credit: string;
  /** ISO 8601. */
  readonly created_at: string;
  /** ISO 8601. */
  readonly updated_at: string;
  /** For compatibility with Fish Audio. */
  readonly has_phone_sha256: boolean;
  /** For compatibility with Fish Audio. */
  readonly has_free_credit?: boolean | null;
}

export interface Package {
  /** Its id. */
  readonly _id: string;
  /** The account. */
  readonly user_id: string;
  /** Name of the plan. */
  readonly type: string;
  /** Units of the plan. */
  readonly total: number;
  /** Units left. */
  readonly balance: number;
  /** ISO 8601. */
  readonly created_at: string;
  /** ISO 8601. */
  readonly updated_at: string;
  /** End of the plan. */
  readonly finished_at: string;
}

/** The period and grouping of a usage report. Days are `YYYY-MM-DD`; `to` is exclusive. */
export interface UsageQuery {
  /** First day. */
  readonly from?: string;
  /** The day after the last. */
  readonly to?: string;
  /** Grouping, such as `day,model`. */
  readonly by?: string;
}

export interface Usage {
  /** First day. */
  readonly from: string;
  /** The day after the last. */
  readonly to: string;
  /** One item per service and group. */
  readonly items: readonly UsageItem[];
  /** US dollars, as a decimal string. */
  readonly cost: string;
}

/** Usage of one service within a group. */
export interface UsageItem {
  /** `tts` in bytes, `asr` in seconds, `voice_design` in requests. */
  readonly service: string;
  /** Day, with `by=day`. */
  readonly day?: string | undefined;
  /** The account. */
  readonly account?: string | undefined;
  /** The id of the key. */
  readonly key?: string | undefined;
  /** The wire model; the server has a default. */
  readonly model?: string | undefined;
  /** The voice. */
  readonly voice?: string | undefined;
  /** Number of requests. */
  readonly requests: number;
  /** Bytes of text, seconds of audio, or requests. */
  readonly units: number;
  /** US dollars, as a decimal string. */
  readonly cost: string;
}

/** State of the server. */
export interface Health {
  /** `loading`: not ready yet. `degraded`: a component is down; `ready` tells whether requests are served. */
  readonly status: 'ok' | 'loading' | 'degraded';
  /** The process runs. */
  readonly live: boolean;
  /** Whether the server can synthesize now. */
  readonly ready: boolean;
  /** Version of the server. */
  readonly version: string;
  /** Models that the server needs. */
  readonly models: readonly {
    /** Its id. */
    readonly id: string;
    /** Its state. */
    readonly state: string;
    /** Bytes fetched so far. */
    readonly received_bytes?: number;
    /** Bytes to fetch. */
    readonly total_bytes?: number;
    /** What went wrong. */
    readonly message?: string;
  }[];
  /** Worker processes. */
  readonly workers: readonly {
    /** Its id. */
    readonly id: string;
    /** Its state. */
    readonly state: string;
    /** Loaded engines. */
    readonly engines?: readonly string[];
    /** Running requests. */
    readonly active?: number;
    /** Restarts since the start of the server. */
    readonly restarts?: number;
    /** Memory in MB. */
    readonly memory_mb?: number;
  }[];
}

/** Options of one call that override those of the client. */
export interface CallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
  /** Maximum wait for the response to begin and for each further chunk; for live sessions, to connect. */
  readonly timeoutMs?: number | undefined;
  /** Retries after 408, 429, 5xx and broken connections. */
  readonly maxRetries?: number | undefined;
  /** Further headers of the request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}
