/** What can be sent as sound: a file, bytes, or a stream of bytes. */
export type AudioInput =
  | Blob
  | ArrayBuffer
  | Uint8Array
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>;

/** A recording of the voice to speak with, and what is said in it. */
export interface ReferenceAudio {
  readonly audio: AudioInput;
  readonly text?: string;
}

/** How to speak. The fields are those of `POST /v1/tts`; the server's reference describes each. */
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

/** What to speak, and how. */
export interface SpeechRequest extends SpeechOptions {
  readonly text: string;
}

/** A word, and when it is heard, in seconds. */
export interface Segment {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Where it stands in the text of the request. */
  readonly char_start?: number;
  readonly char_end?: number;
  readonly confidence?: number;
}

/** The next stretch of speech with the times of its words. */
export interface TimedSpeech {
  readonly audio: Uint8Array;
  /** The stretch of text that `alignment` describes. */
  readonly content: string;
  /** All words of that stretch so far: replaces what came before for the same `chunkSeq`. Times count from `chunkAudioOffsetSeconds`. */
  readonly alignment: { readonly segments: readonly Segment[]; readonly audio_duration: number } | null;
  readonly chunkSeq: number;
  readonly chunkAudioOffsetSeconds: number;
}

/** What to transcribe, and how. */
export interface TranscriptionRequest {
  readonly audio: AudioInput;
  /** `transcribe-1` (the default) or `transcribe-1-pro`. */
  readonly model?: string;
  /** A hint such as `en`. */
  readonly language?: string;
  /** Leave out the times of words. */
  readonly ignore_timestamps?: boolean;
  /** Names and terms that are likely to be heard. */
  readonly prompt?: string;
  readonly diarize?: boolean;
  readonly num_speakers?: number;
  readonly vocabulary?: readonly string[];
  readonly [field: string]: unknown;
}

export interface Transcription {
  readonly text: string;
  /** Seconds of audio. */
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
  /** What was said between pauses; only with `format: 'verbose'`. */
  readonly phrases?: readonly Phrase[];
}

/** What was said between two pauses. */
export interface Phrase {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly confidence: number;
  readonly language_code: string;
  readonly speaker?: string;
  readonly words: readonly Segment[];
}

/** What is told while a recording is transcribed. */
export type TranscriptionEvent =
  | {
      readonly event: 'progress';
      /** 0 to 1. */
      readonly progress: number;
      /** Seconds of the recording. */
      readonly heard: number;
    }
  | ({ readonly event: 'segment' } & Phrase)
  | { readonly event: 'finish'; readonly transcription: Transcription };

/** A recording that is transcribed in the background. */
export interface TranscriptionJob {
  readonly id: string;
  readonly status: 'queued' | 'running' | 'finished' | 'failed' | 'cancelled';
  /** 0 to 1. */
  readonly progress: number;
  /** Seconds of the recording that have been heard. */
  readonly heard: number;
  readonly created_at: string;
  readonly finished_at: string | null;
  /** All of it when `finished`; what was heard so far before that. */
  readonly result: Transcription;
  /** Why it failed. */
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** What is heard while somebody still speaks. */
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
  /** Recordings of the person. */
  readonly voices: readonly AudioInput[];
  /** What is said in each; the server transcribes when absent. */
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

/** A voice to be made up. The fields are those of `POST /v1/voice-design`. */
export interface VoiceDesignRequest {
  /** The voice in plain English. */
  readonly instruction: string;
  /** What the candidates say. */
  readonly reference_text?: string;
  readonly language?: string;
  /** How many candidates, 1 to 4. */
  readonly n?: number;
  readonly speed?: number;
  readonly seed?: number;
}

/** A voice to choose. */
export interface DesignCandidate {
  readonly id: string;
  readonly index: number;
  /** A complete WAV file. */
  readonly audio: Uint8Array<ArrayBuffer>;
  readonly sample_rate: number;
  readonly duration_ms: number;
  readonly text: string;
  readonly features: Readonly<Record<string, string | number | null>>;
  /** Goes into `voice_design_signatures` of `voices.create`, with `audio` as the recording. */
  readonly signature: string;
}

/** Voices that were made up, and which words of the instruction were followed. */
export interface VoiceDesign {
  readonly candidates: readonly DesignCandidate[];
  /** Gives these candidates again. */
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

/** Which usage to tell about. Days are `YYYY-MM-DD`; `to` is not part of it. */
export interface UsageQuery {
  readonly from?: string;
  readonly to?: string;
  /** What to sum by, such as `day,model`. */
  readonly by?: string;
}

export interface Usage {
  readonly from: string;
  readonly to: string;
  readonly items: readonly UsageItem[];
  /** US dollars, as a decimal string. */
  readonly cost: string;
}

/** What was used of one service, within the groups that were asked for. */
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

/** How the server is. */
export interface Health {
  readonly status: 'ok' | 'loading' | 'degraded';
  readonly live: boolean;
  /** A request to speak would be served now. */
  readonly ready: boolean;
  readonly version: string;
  readonly models: readonly { readonly id: string; readonly state: string }[];
  readonly workers: readonly { readonly id: string; readonly state: string }[];
}

/** How one call differs from the client's own settings. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Longest wait for the answer to begin, and then for each further piece of it. */
  readonly timeoutMs?: number | undefined;
  /** Further attempts after 408, 429, 5xx and broken connections. */
  readonly maxRetries?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}
