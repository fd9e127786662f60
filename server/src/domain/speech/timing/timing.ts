import type { TimedViseme } from './visemes.ts';

/** A word of the source text with its time span, in seconds from the start of its chunk. */
export interface TimedWord {
  /** As written in the client's text. */
  readonly text: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** UTF-16 offsets into the client's text, half open. */
  readonly charStart: number;
  readonly charEnd: number;
  /** Present if requested. */
  readonly visemes?: readonly TimedViseme[];
}

/** A named position (SSML `mark`) with its time, in seconds from the start of its chunk. */
export interface TimedMark {
  readonly name: string;
  readonly seconds: number;
  readonly charStart: number;
}

/**
 * The timing of one chunk (a piece). A later timing with the same `sequence` replaces an earlier one: it may have
 * more words, and only the last has the final duration.
 */
export interface ChunkTiming {
  readonly sequence: number;
  /** The client's text of the chunk, and its UTF-16 offset. */
  readonly text: string;
  readonly charStart: number;
  /** Speaker number in a dialogue. */
  readonly speaker: number | undefined;
  /** Start of the chunk in the audio file. */
  readonly offsetSeconds: number;
  readonly durationSeconds: number;
  /** In order, without overlap. */
  readonly words: readonly TimedWord[];
  readonly marks: readonly TimedMark[];
}
