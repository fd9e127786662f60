import type { AsrEngine, HeardWord, VoiceActivity } from '../engines/asr-engine.ts';

/** A recording to be transcribed, as it crosses to a hearing worker. */
export interface HearingJob {
  /** A file the worker can read, which stays until the job ends; or a stream that is sent while it runs. */
  readonly source: { readonly kind: 'file'; readonly path: string } | { readonly kind: 'stream' };
  /** Names of the hearing engines the job may use. Their models are installed before the job begins. */
  readonly engines: readonly string[];
  /** ISO 639-1, where the caller knows it. */
  readonly language?: string | undefined;
  readonly prompt?: string | undefined;
  readonly hotwords?: readonly string[] | undefined;
}

/** What a job says while it runs, in order of time. It ends by ending, or with an error. */
export type HearingEvent =
  | {
      /** A stretch of speech whose text is final. Times are in seconds from the start of the recording. */
      readonly type: 'segment';
      readonly startSeconds: number;
      readonly endSeconds: number;
      readonly text: string;
      readonly words: readonly HeardWord[];
      readonly language: string;
      readonly confidence: number;
    }
  | {
      /** How much of the recording has been heard. */
      readonly type: 'progress';
      readonly heardSeconds: number;
    };

/** What is sent to a job whose source is a stream: mono samples at `HEARING_RATE_HZ`, as they arrive. */
export type HearingInput = Float32Array;

/** What the pipeline of a job finds in its worker. */
export interface HearingContext {
  /** A loaded engine. Jobs take turns with it: live ones go first. */
  engine(name: string): Promise<AsrEngine>;
  voiceActivity(): Promise<VoiceActivity>;
  /** What is sent to a stream. Nothing comes for a file. */
  readonly input: AsyncIterable<HearingInput>;
}

/** Where jobs are done. The layers above need no more of the worker processes than this. */
export interface HearingWorkers {
  /**
   * Does one job. Leaving the loop, or aborting, stops the work. `input` feeds a job whose source is a stream.
   * Throws `ApiError` for what a client may see: `engine_unavailable` while models are fetched,
   * `engine_failed` when the process died with the job in its hands. Both may be tried again.
   */
  hear(
    job: HearingJob,
    options: { readonly signal: AbortSignal; readonly input?: AsyncIterable<HearingInput> | undefined },
  ): AsyncIterable<HearingEvent>;
}
