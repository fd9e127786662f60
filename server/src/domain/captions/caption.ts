/** A word with its punctuation and time span. */
export interface CaptionWord {
  readonly text: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** No space precedes the word: scripts without spaces, or the second part of a compound. */
  readonly joinsPrevious?: boolean;
  /** Speaker label, if known. Words of different speakers never share a caption. */
  readonly speaker?: string;
}

/** One caption: at most two lines, shown from `startSeconds` to `endSeconds`. */
export interface Caption {
  readonly lines: readonly string[];
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly speaker?: string;
}
