/** A chapter of a book. */
export interface Chapter {
  /** Undefined for a part before the first heading. */
  readonly title: string | undefined;
  /** Without line breaks. The title is not among them. */
  readonly paragraphs: readonly string[];
}

/** The readable text of a book. */
export interface Book {
  readonly title: string | undefined;
  readonly author: string | undefined;
  /** A language tag such as `en-GB`. */
  readonly language: string | undefined;
  readonly chapters: readonly Chapter[];
}

export const BOOK_FORMATS = ['text', 'markdown', 'epub'] as const;
export type BookFormat = (typeof BOOK_FORMATS)[number];

/** Maximum number of chapters. Further ones are part of the last. */
export const CHAPTERS_MAX = 1000;
/** Maximum length of a title; the rest is cut off. */
export const TITLE_MAX_CHARS = 200;

/** Collects chapters from headings and paragraphs in reading order. */
export class ChapterBuilder {
  readonly #chapters: { readonly title: string | undefined; readonly paragraphs: string[] }[] = [];

  /** Starts a chapter. */
  heading(title: string): void {
    const text = collapseSpaces(title).slice(0, TITLE_MAX_CHARS);
    if (text === '') return;
    if (this.#chapters.length >= CHAPTERS_MAX) this.paragraph(text);
    else this.#chapters.push({ title: text, paragraphs: [] });
  }

  paragraph(text: string): void {
    const paragraph = collapseSpaces(text);
    if (paragraph === '') return;
    if (this.#chapters.length === 0) this.#chapters.push({ title: undefined, paragraphs: [] });
    this.#chapters.at(-1)!.paragraphs.push(paragraph);
  }

  /** The chapters. A heading without text is part of the next title, such as “Part One” before “Chapter 1”. */
  finish(): Chapter[] {
    const chapters: Chapter[] = [];
    let waiting: string[] = [];
    for (const { title, paragraphs } of this.#chapters) {
      if (title !== undefined) waiting.push(title);
      if (paragraphs.length === 0) continue;
      const joined = waiting.join('. ').slice(0, TITLE_MAX_CHARS);
      chapters.push({ title: joined === '' ? undefined : joined, paragraphs });
      waiting = [];
    }
    return chapters;
  }
}

/** Replaces runs of white space by single spaces. */
export function collapseSpaces(text: string): string {
  return text
    .replace(/[\u00ad\u200b]+/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
