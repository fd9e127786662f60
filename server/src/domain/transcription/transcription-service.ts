/** The wire models of hearing. An absent or unknown one means the first. */
export const TRANSCRIPTION_MODELS = ['transcribe-1', 'transcribe-1-pro'] as const;
export type TranscriptionModel = (typeof TRANSCRIPTION_MODELS)[number];

/** What happens to the channels of a recording; the first unless asked otherwise. */
export const CHANNEL_MODES = ['mix', 'split'] as const;
export type ChannelMode = (typeof CHANNEL_MODES)[number];

/** What a client may ask of a recording, whichever way it arrives. */
export interface TranscriptionOptions {
  readonly model: TranscriptionModel;
  /** ISO 639-1, where the client knows it. */
  readonly language: string | undefined;
  /** Text that could have come before. */
  readonly prompt: string | undefined;
  /** Names and terms that are likely to be said. */
  readonly vocabulary: readonly string[];
  /** Whether the channels of a file are mixed, or transcribed apart. */
  readonly channels?: ChannelMode | undefined;
  /** How many people may be told apart; undefined when nobody asked who speaks. */
  readonly speakers: SpeakerCount | undefined;
}

/** How many speakers a recording may have. */
export interface SpeakerCount {
  readonly min: number;
  readonly max: number;
}

/** A checked request to transcribe a file. */
export interface TranscribeRequest extends TranscriptionOptions {
  /** A file that stays until the work ends. Its format is found by its bytes. */
  readonly path: string;
  /** What was heard before, when the work goes on after an interruption. */
  readonly resume?: ResumePoint | undefined;
}

/** Where interrupted work goes on. */
export interface ResumePoint {
  readonly segments: readonly TranscriptSegment[];
  /** Everything before this is in `segments`. */
  readonly processedSeconds: number;
}

/** A word with its punctuation. Times are in seconds from the start of the recording. */
export interface TranscriptWord {
  readonly text: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** 0 to 1. */
  readonly confidence: number;
}

/** A stretch of speech between two pauses. */
export interface TranscriptSegment {
  readonly text: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** 0 to 1: how sure the model was of its words. */
  readonly confidence: number;
  /** ISO 639-1. */
  readonly language: string;
  readonly words: readonly TranscriptWord[];
  /** Where channels are transcribed apart: which one, counted from 0. */
  readonly channel?: number | undefined;
  /** The sound of the voice as numbers, where speakers are told apart. */
  readonly voicePrint?: readonly number[] | undefined;
  /** Who speaks, counted from 0 in order of appearance; only in a finished transcript. */
  readonly speaker?: number | undefined;
}

/** What one person said without being interrupted. */
export interface SpeakerTurn {
  /** Counted from 0 in order of appearance. */
  readonly speaker: number;
  readonly text: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** Everything that was heard in a recording. */
export interface Transcript {
  /** With speaker marks where speakers were told apart and there are several. */
  readonly text: string;
  readonly durationSeconds: number;
  /** ISO 639-1; undefined when nobody spoke. */
  readonly language: string | undefined;
  readonly segments: readonly TranscriptSegment[];
  /** Undefined when nobody asked who speaks. */
  readonly speakerTurns: readonly SpeakerTurn[] | undefined;
}

/** What is said while a recording is heard. The last event of a recording that could be heard is `finished`. */
export type TranscriptionEvent =
  | {
      readonly type: 'progress';
      /** Everything before this has been heard, and its segments have been told. */
      readonly processedSeconds: number;
      /** 0 to 1, by the bytes of the file. */
      readonly fraction: number;
    }
  | { readonly type: 'segment'; readonly segment: TranscriptSegment }
  | { readonly type: 'finished'; readonly transcript: Transcript };

/** What is said while somebody speaks. */
export type LiveTranscriptionEvent =
  | {
      /** The best guess at the words of a stretch that still goes on. The next one replaces it. */
      readonly type: 'partial';
      readonly text: string;
      readonly startSeconds: number;
      readonly endSeconds: number;
    }
  /** Everything that was sent before this has been taken in. */
  | { readonly type: 'progress'; readonly processedSeconds: number }
  | { readonly type: 'segment'; readonly segment: TranscriptSegment };

/** What a live speaker sends: samples at 16 kHz, or the wish to have what was said so far now. */
export type LiveInput = Float32Array | 'flush';

/** Turns recordings and live speech into text. */
export interface TranscriptionService {
  /**
   * Transcribes a file. Throws an `ApiError` for everything a client may see: `invalid_audio`,
   * `audio_too_short`, `audio_too_long`, `queue_full`, and faults of the engine. Leaving the loop, or
   * aborting, stops the work.
   */
  transcribe(request: TranscribeRequest, signal: AbortSignal): AsyncIterable<TranscriptionEvent>;
  /** Listens until the input ends, and then says the rest. */
  listen(
    options: TranscriptionOptions,
    input: AsyncIterable<LiveInput>,
    signal: AbortSignal,
  ): AsyncIterable<LiveTranscriptionEvent>;
}
