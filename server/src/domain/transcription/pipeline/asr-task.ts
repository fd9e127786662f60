import type { AsrEngine, AsrWord, SpeakerEmbedder, VoiceActivity } from '../../engines/asr-engine.ts';

/** A recording to be transcribed, as it crosses to a hearing worker. */
export interface AsrTask {
  /** A file the worker can read, which stays until the job ends; or a stream that is sent while it runs. */
  readonly source: { readonly kind: 'file'; readonly path: string } | { readonly kind: 'stream' };
  /**
   * Names of the hearing engines the job may use; of those that know a language the first is taken. Their models
   * are installed before the job begins.
   */
  readonly engines: readonly string[];
  /** Everything before this was heard earlier. */
  readonly startSeconds?: number | undefined;
  /** A file out of these bounds is `audio_too_short` or `audio_too_long`. */
  readonly minSeconds?: number | undefined;
  readonly maxSeconds?: number | undefined;
  /** The program that decodes what we do not; `ffmpeg` unless given. */
  readonly ffmpegPath?: string | undefined;
  /** ISO 639-1, where the caller knows it. */
  readonly language?: string | undefined;
  readonly prompt?: string | undefined;
  readonly hotwords?: readonly string[] | undefined;
  /** Whether the channels of a file are heard apart; else they are mixed. */
  readonly isSplit?: boolean | undefined;
  /** Whether segments carry the sound of their voice. */
  readonly wantsSpeakerEmbeddings?: boolean | undefined;
}

/** A stretch of speech whose text is final. Times are in seconds from the start of the recording. */
export interface AsrSegment {
  readonly type: 'segment';
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly text: string;
  readonly words: readonly AsrWord[];
  readonly language: string;
  readonly confidence: number;
  /** Where channels are heard apart: which one, counted from 0. */
  readonly channel?: number | undefined;
  /** The sound of the voice, of unit length; where it was asked for and the segment is long enough. */
  readonly speakerEmbedding?: readonly number[] | undefined;
}

/** What a job says while it runs, in order of time. It ends by ending, or with an error. */
export type AsrEvent =
  | AsrSegment
  | {
      /** Everything before this has been heard, and its segments have been told. */
      readonly type: 'progress';
      readonly processedSeconds: number;
      /** 0 to 1, by the bytes of a file; 0 for a stream. */
      readonly fraction: number;
    }
  | {
      /** The best guess at a stretch that still goes on; only for a stream. The next one replaces it. */
      readonly type: 'partial';
      readonly startSeconds: number;
      readonly endSeconds: number;
      readonly text: string;
    }
  | {
      /** The recording is over. */
      readonly type: 'end';
      readonly durationSeconds: number;
    };

/**
 * What is sent to a job whose source is a stream: mono samples at `HEARING_RATE_HZ`, or the wish to have the text
 * of what was said so far.
 */
export type AsrInput = Float32Array | 'flush';

/** What the pipeline of a job finds in its worker. */
export interface AsrTaskContext {
  /** A loaded engine. Jobs take turns with it: live ones go first. */
  engine(name: string): Promise<AsrEngine>;
  voiceActivity(): Promise<VoiceActivity>;
  speakerEmbedder(): Promise<SpeakerEmbedder>;
  /** What is sent to a stream. Nothing comes for a file. */
  readonly input: AsyncIterable<AsrInput>;
}

/** Where jobs are done. The layers above need no more of the worker processes than this. */
export interface AsrWorkers {
  /**
   * Does one job. Leaving the loop, or aborting, stops the work. `input` feeds a job whose source is a stream.
   * Throws `ApiError` for what a client may see: `engine_unavailable` while models are fetched,
   * `engine_failed` when the process died with the job in its hands. Both may be tried again.
   */
  transcribe(
    job: AsrTask,
    options: { readonly signal: AbortSignal; readonly input?: AsyncIterable<AsrInput> | undefined },
  ): AsyncIterable<AsrEvent>;
}
