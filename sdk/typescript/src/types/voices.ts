import type { AudioInput } from './requests.ts';

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
  /** Extension. Refinement in the background; a `pending` voice can be used, and its speech changes once. */
  readonly refinement?: 'none' | 'pending' | 'done' | 'failed' | undefined;
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
