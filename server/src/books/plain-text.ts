import { type Book, ChapterBuilder } from './book.ts';

/** The start of a heading with a number, and its rest: “Chapter 12”, “CHAPTER IV. The Storm”. */
const NUMBERED =
  /^(?:chapter|part|book|section|act|kapitel|teil|chapitre|partie|cap[ií]tulo|parte|capitolo)\s+(?:[ivxlcdm]+|\d+|[a-zà-ÿ-]+)\b(.{0,80})$/iu;
const UNNUMBERED =
  /^(?:prologue|epilogue|preface|introduction|foreword|afterword|prolog|epilog|vorwort|nachwort)[.:]?$/i;
/** A title after the number. A sentence such as “Chapter 2 of my life began.” has none. */
const TITLE = /^(?:[.:]?|[.:\s–—-]+[\p{Lu}\p{N}“"][^.!?]*[.!?]?)$/u;
const HEADING_MAX_CHARS = 120;

/** Reads a plain text. Blank lines separate paragraphs; lone lines such as “Chapter 1” are headings. */
export function readPlainText(text: string): Book {
  const builder = new ChapterBuilder();
  for (const block of splitBlocks(text)) {
    if (isHeading(block)) builder.heading(block);
    else builder.paragraph(block);
  }
  return { title: undefined, author: undefined, language: undefined, chapters: builder.finish() };
}

/** The blocks between blank lines. */
export function* splitBlocks(text: string): Generator<string> {
  const lines: string[] = [];
  for (const line of text.replace(/^\ufeff/, '').split(/\r\n|[\r\n\u2028\u2029]/)) {
    if (line.trim() !== '') {
      lines.push(line);
      continue;
    }
    if (lines.length > 0) yield lines.join('\n');
    lines.length = 0;
  }
  if (lines.length > 0) yield lines.join('\n');
}

function isHeading(block: string): boolean {
  const line = block.trim();
  if (line.length > HEADING_MAX_CHARS || line.includes('\n')) return false;
  const rest = NUMBERED.exec(line)?.[1];
  return UNNUMBERED.test(line) || (rest !== undefined && TITLE.test(rest));
}
