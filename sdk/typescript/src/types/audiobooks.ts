import type { AudioInput } from './requests.ts';
import type { SpeechOptions } from './speech.ts';

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
