/** A chapter of an audio file. Chapters are in order and do not overlap. */
export interface ChapterMark {
  readonly title: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** Title, author and chapters of an audio file. */
export interface AudioFileTags {
  readonly title: string;
  readonly author: string | undefined;
  readonly chapters: readonly ChapterMark[];
}
