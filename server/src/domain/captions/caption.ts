/** A word as it is shown, with its punctuation, and when it is heard. */
export interface CaptionWord {
  readonly text: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** No space stands before it: scripts without spaces, or a word written in two parts. */
  readonly joinsPrevious?: boolean;
  /** Who says it, where that is known. Words of two speakers never share a caption. */
  readonly speaker?: string;
}

/** One caption: at most two lines, shown from `startSeconds` to `endSeconds`. */
export interface Caption {
  readonly lines: readonly string[];
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly speaker?: string;
}
