import type { Clip } from './read-clip.ts';
import type { AudioSource } from './stored-audio.ts';

/** Recordings of one speaker that are decoded and judged. */
export interface ReadTask {
  readonly sources: readonly AudioSource[];
  /** Sample rate of `Clip.speechSamples`. */
  readonly sampleRateHz: number;
  readonly speechMinSeconds: number;
  /** Maximum duration of each recording. */
  readonly maxSeconds: number;
  /** Maximum duration of all recordings together. Absent: only `maxSeconds` applies. */
  readonly totalMaxSeconds?: number | undefined;
  readonly ffmpegPath: string;
}

/** Limits of decoding that are the same for all tasks of a server. */
export type ReadLimits = Pick<ReadTask, 'speechMinSeconds' | 'maxSeconds' | 'ffmpegPath'>;

/** The account that a task runs for, and the signal that aborts it. */
export interface AccountCall {
  readonly accountId: string;
  readonly signal: AbortSignal;
}

/** Kinds of work with clips. They do not wait for each other. */
export type ClipWork = 'creation' | 'transcription';

/** Decodes recordings outside the HTTP process. Implemented by the worker processes. */
export interface ClipReader {
  /**
   * One clip per recording. Waiting tasks are served in turn by account. Throws the errors of `readRecordings`,
   * `engine_failed`, `engine_unavailable`, or the reason of the signal.
   */
  read(task: ReadTask, call: AccountCall): Promise<readonly Clip[]>;
  /** Runs work that keeps clips in memory: in turn by account, with a limited number of each kind at the same time. */
  inTurn<Result>(
    call: AccountCall & { readonly kind: ClipWork },
    work: () => Promise<Result>,
  ): Promise<Result>;
}
