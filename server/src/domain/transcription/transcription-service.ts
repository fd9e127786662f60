/** The model names of the API. An absent or unknown name selects the first. */
export const TRANSCRIPTION_MODELS = ['transcribe-1', 'transcribe-1-pro'] as const;
export type TranscriptionModel = (typeof TRANSCRIPTION_MODELS)[number];

/** Treatment of the channels of a recording; the first is the default. */
export const CHANNEL_MODES = ['mix', 'split'] as const;
export type ChannelMode = (typeof CHANNEL_MODES)[number];

/** Options of a transcription, for files and for live audio. */
export interface TranscriptionOptions {
  readonly model: TranscriptionModel;
  /** ISO 639-1; undefined for automatic detection. */
  readonly language: string | undefined;
  /** Text that precedes the recording; conditions vocabulary and spelling. */
  readonly prompt: string | undefined;
  /** Names and terms that are likely to occur. */
  readonly vocabulary: readonly string[];
  /** Whether the text is translated to English. Default: no. */
  readonly isTranslated?: boolean | undefined;
  /** Whether the channels of a file are mixed or transcribed separately. */
  readonly channels?: ChannelMode | undefined;
  /** Bounds on the number of speakers; undefined switches diarization off. */
  readonly speakers: SpeakerCount | undefined;
  /** Whether words include their pitch. Default: no. */
  readonly wantsPitch?: boolean | undefined;
  /** The account that the worker's time is shared by. Not stored with a job, whose caller gives it. */
  readonly accountId?: string | undefined;
}

/** Bounds on the number of speakers of a recording. */
export interface SpeakerCount {
  readonly min: number;
  readonly max: number;
}

/** A validated request to transcribe a file. */
export interface TranscribeRequest extends TranscriptionOptions {
  /** A file that exists until the transcription ends. Its format is detected from its content. */
  readonly path: string;
  /** Whether no client waits for the result. */
  readonly isJob?: boolean | undefined;
  /** Results of an interrupted transcription that is continued. */
  readonly resume?: ResumePoint | undefined;
}

/** The state from which an interrupted transcription continues. */
export interface ResumePoint {
  readonly segments: readonly TranscriptSegment[];
  /** All audio before this position is covered by `segments`. */
  readonly processedSeconds: number;
}

/** A word with its punctuation. Times are in seconds from the start of the recording. */
export interface TranscriptWord {
  readonly text: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** 0 to 1. */
  readonly confidence: number;
  /** Median F0. Present when requested and the word is voiced. */
  readonly pitchHz?: number | undefined;
}

/** A segment of speech between two pauses. */
export interface TranscriptSegment {
  readonly text: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** 0 to 1: the model's confidence in the words. */
  readonly confidence: number;
  /** ISO 639-1. */
  readonly language: string;
  readonly words: readonly TranscriptWord[];
  /** Channel index from 0, when channels are transcribed separately. */
  readonly channel?: number | undefined;
  /** Input of diarization; absent from a finished transcript. */
  readonly speakerEmbedding?: readonly number[] | undefined;
  /** Speaker index from 0 in order of appearance; only in a finished transcript. */
  readonly speaker?: number | undefined;
}

/** Consecutive speech of one speaker. */
export interface SpeakerTurn {
  /** Speaker index from 0 in order of appearance. */
  readonly speaker: number;
  readonly text: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** The result of a transcription. */
export interface Transcript {
  /** With speaker tags when diarization found several speakers. */
  readonly text: string;
  readonly durationSeconds: number;
  /** ISO 639-1; undefined when the recording contains no speech. */
  readonly language: string | undefined;
  readonly segments: readonly TranscriptSegment[];
  /** Undefined when diarization is off. */
  readonly speakerTurns: readonly SpeakerTurn[] | undefined;
}

/** Events of a file transcription. The last event of a successful one is `finished`. */
export type TranscriptionEvent = {
  /** Number of channels that are transcribed separately; absent: 1. */
  readonly channels?: number;
} & (
  | {
      readonly type: 'progress';
      /** All audio before this position is transcribed, and its segments have been emitted. */
      readonly processedSeconds: number;
      /** 0 to 1, by the bytes of the file. */
      readonly fraction: number;
    }
  | { readonly type: 'segment'; readonly segment: TranscriptSegment }
  | { readonly type: 'finished'; readonly transcript: Transcript }
);

/** Events of a live transcription. */
export type LiveTranscriptionEvent =
  | {
      /** Interim text of the open segment. Each partial replaces the one before it. */
      readonly type: 'partial';
      readonly text: string;
      readonly startSeconds: number;
      readonly endSeconds: number;
    }
  /** All input up to this position has been processed. */
  | { readonly type: 'progress'; readonly processedSeconds: number }
  | { readonly type: 'segment'; readonly segment: TranscriptSegment };

/** Input of a live transcription: samples at 16 kHz, or a request to finalize the open segment now. */
export type LiveInput = Float32Array | 'flush';

/** Transcribes recordings and live audio. */
export interface TranscriptionService {
  /**
   * Transcribes a file. Throws an `ApiError` for every error that a client may see: `invalid_audio`,
   * `audio_too_short`, `audio_too_long`, `queue_full`, and engine errors. Leaving the loop or aborting the
   * signal stops the work.
   */
  transcribe(request: TranscribeRequest, signal: AbortSignal): AsyncIterable<TranscriptionEvent>;
  /** Transcribes until the input ends, then emits the remaining segments. */
  transcribeLive(
    options: TranscriptionOptions,
    input: AsyncIterable<LiveInput>,
    signal: AbortSignal,
  ): AsyncIterable<LiveTranscriptionEvent>;
}
