import type { FfmpegSlots } from '../../../audio/decode/ffmpeg-decoder.ts';
import type { AsrEngine, AsrWord, SpeakerEmbedder, VadModel } from '../../engines/asr-engine.ts';

/** A transcription task, as sent to a transcription worker. */
export interface AsrTask {
  /** A file that exists until the task ends, or a stream that is sent while the task runs. */
  readonly source: { readonly kind: 'file'; readonly path: string } | { readonly kind: 'stream' };
  /**
   * Names of the ASR engines the task may use, in order of preference by language. Their models are installed
   * before the task starts.
   */
  readonly engines: readonly string[];
  /** Position to start from; earlier audio is already transcribed. */
  readonly startSeconds?: number | undefined;
  /** A file outside these bounds fails with `audio_too_short` or `audio_too_long`. */
  readonly minSeconds?: number | undefined;
  readonly maxSeconds?: number | undefined;
  /** Maximum number of decoded samples of all channels of a file, and of CPU seconds: `audio_too_costly`. */
  readonly samplesMax?: number | undefined;
  readonly cpuSecondsMax?: number | undefined;
  /** Whether the file belongs to a background job. It yields to tasks whose client waits. */
  readonly isJob?: boolean | undefined;
  /** The account that owns the task. Accounts with equal demand get equal CPU time. */
  readonly accountId?: string | undefined;
  /** Program for formats without a built-in decoder; default `ffmpeg`. */
  readonly ffmpegPath?: string | undefined;
  /** ISO 639-1; undefined for automatic detection. */
  readonly language?: string | undefined;
  /** Whether the text is translated to English, by engines that can. */
  readonly isTranslated?: boolean | undefined;
  readonly prompt?: string | undefined;
  readonly hotwords?: readonly string[] | undefined;
  /** Whether the channels of a file are transcribed separately instead of mixed. */
  readonly isSplit?: boolean | undefined;
  /** Whether segments include a speaker embedding. */
  readonly wantsSpeakerEmbeddings?: boolean | undefined;
  /** Whether words include their pitch. */
  readonly wantsPitch?: boolean | undefined;
}

/** A segment with final text. Times are in seconds from the start of the recording. */
export interface AsrSegment {
  readonly type: 'segment';
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly text: string;
  readonly words: readonly AsrWord[];
  readonly language: string;
  readonly confidence: number;
  /** Channel index from 0, when channels are transcribed separately. */
  readonly channel?: number | undefined;
  /** Of unit length; present when requested and the segment is long enough. */
  readonly speakerEmbedding?: readonly number[] | undefined;
}

/** Interim text of the open segment of a stream. Each partial replaces the one before it. */
export interface AsrPartial {
  readonly type: 'partial';
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly text: string;
}

/** Events of a running task, in order of time. */
export type AsrEvent =
  | AsrSegment
  | AsrPartial
  | {
      /** All audio before this position is transcribed, and its segments have been emitted. */
      readonly type: 'progress';
      readonly processedSeconds: number;
      /** 0 to 1, by the bytes of a file; 0 for a stream. */
      readonly fraction: number;
      /** Number of channels that are transcribed separately; absent: 1. */
      readonly channels?: number;
    }
  | {
      /** The recording is over. */
      readonly type: 'end';
      readonly durationSeconds: number;
      readonly channels?: number;
    };

/**
 * Input of a task with a stream source: mono samples at `ASR_SAMPLE_RATE_HZ`, or a request to finalize the open
 * segment now.
 */
export type AsrInput = Float32Array | 'flush';

/** Services of the worker for the pipeline of one task. */
export interface AsrTaskContext {
  /** A loaded engine. Tasks share it; live tasks have priority. */
  engine(name: string): Promise<AsrEngine>;
  voiceActivity(): Promise<VadModel>;
  speakerEmbedder(): Promise<SpeakerEmbedder>;
  /** Input of a stream; empty for a file. */
  readonly input: AsyncIterable<AsrInput>;
  /** Limits the FFmpeg processes of the server. Absent: no limit. */
  readonly ffmpegSlots?: FfmpegSlots | undefined;
  /** Reports CPU time that the task used outside the models, such as for decoding. */
  addCpuSeconds(seconds: number): void;
}

/** The worker processes that run ASR tasks. */
export interface AsrWorkers {
  /**
   * Runs one task. Leaving the loop or aborting the signal stops it. `input` is the input of a stream.
   * Throws `ApiError` for errors that a client may see: `engine_unavailable` while models are downloaded,
   * `engine_failed` when the worker process died during the task. Both are retryable.
   */
  transcribe(
    task: AsrTask,
    options: { readonly signal: AbortSignal; readonly input?: AsyncIterable<AsrInput> | undefined },
  ): AsyncIterable<AsrEvent>;
}
