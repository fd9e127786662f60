import type { AudioInput } from './requests.ts';

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

/** A recording to be spoken with another voice. */
export interface SpeechConversion {
  /** The recording, of at most one hour. */
  readonly audio: AudioInput;
  /** The wire model; the server has a default. */
  readonly model?: string | undefined;
  /** The new voice. */
  readonly reference_id?: string | undefined;
  /** Spoken language, such as `en`; detected by default. */
  readonly language?: string | undefined;
  /** Whether the melody of the recording is imitated. Default: true. */
  readonly keep_pitch?: boolean | undefined;
  /** Format of the audio. */
  readonly format?: SpeechOptions['format'];
  /** In Hz. */
  readonly sample_rate?: number | undefined;
  /** Equal requests with equal seeds give equal audio. */
  readonly seed?: number | undefined;
}

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
