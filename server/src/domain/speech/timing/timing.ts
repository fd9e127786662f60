import type { TimedViseme } from './visemes.ts';

/** One written word and when it is heard, in seconds from the start of its chunk. */
export interface TimedWord {
  /** As it stands in the client's text. */
  readonly text: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Where it stands in the client's text: UTF-16 offsets, half open. */
  readonly charStart: number;
  readonly charEnd: number;
  /** The shapes of the mouth while it is said, where they were asked for. */
  readonly visemes?: readonly TimedViseme[];
}

/** A place that the text names (SSML `mark`), and when it is reached, in seconds from the start of its chunk. */
export interface TimedMark {
  readonly name: string;
  readonly seconds: number;
  readonly charStart: number;
}

/**
 * What is known about one chunk, a stretch of text that was spoken in one go. A later one with the same
 * `sequence` replaces the earlier: it may know more words, and only the last knows the whole duration.
 */
export interface ChunkTiming {
  readonly sequence: number;
  /** The client's text that the chunk covers, and where it stands: a UTF-16 offset. */
  readonly text: string;
  readonly charStart: number;
  /** Who says it in a text of several speakers. */
  readonly speaker: number | undefined;
  /** Where the chunk begins in the audio file. */
  readonly offsetSeconds: number;
  readonly durationSeconds: number;
  /** In the order of the text; they neither overlap nor run backwards. */
  readonly words: readonly TimedWord[];
  readonly marks: readonly TimedMark[];
}
