import { type Book, ChapterBuilder } from './book.ts';
import { Turns } from './turns.ts';

/** The start of a heading with a number, and its rest: “Chapter 12”, “CHAPTER IV. The Storm”. */
const NUMBERED =
  /^(?:chapter|part|book|section|act|kapitel|teil|chapitre|partie|cap[ií]tulo|parte|capitolo)\s+(?:[ivxlcdm]+|\d+|[a-zà-ÿ-]+)\b(.{0,80})$/iu;
const UNNUMBERED =
  /^(?:prologue|epilogue|preface|introduction|foreword|afterword|prolog|epilog|vorwort|nachwort)[.:]?$/i;
/** A title after the number. A sentence such as “Chapter 2 of my life began.” has none. */
const TITLE = /^(?:[.:]?|[.:\s–—-]+[\p{Lu}\p{N}“"][^.!?]*[.!?]?)$/u;
const HEADING_MAX_CHARS = 120;
const LINE_END = /\r\n|[\r\n\u2028\u2029]/g;
/** A longer block is divided at a line end. */
const BLOCK_MAX_CHARS = 20_000;
/** A longer line is divided at a space. */
const LINE_MAX_CHARS = 5000;

/** Reads a plain text. Blank lines separate paragraphs; lone lines such as “Chapter 1” are headings. */
export async function readPlainText(text: string): Promise<Book> {
  const builder = new ChapterBuilder();
  const turns = new Turns();
  for (const block of splitBlocks(linesOf(text))) {
    if (isHeading(block)) builder.heading(block);
    else builder.paragraph(block);
    await turns.pause();
  }
  return { title: undefined, author: undefined, language: undefined, chapters: builder.finish() };
}

/** The lines of a text, of limited length. */
export function* linesOf(text: string): Generator<string> {
  let from = text.startsWith('\ufeff') ? 1 : 0;
  for (const end of text.matchAll(LINE_END)) {
    yield* divideLine(text, from, end.index);
    from = end.index + end[0].length;
  }
  yield* divideLine(text, from, text.length);
}

function* divideLine(text: string, from: number, to: number): Generator<string> {
  let start = from;
  while (to - start > LINE_MAX_CHARS) {
    const space = text.lastIndexOf(' ', start + LINE_MAX_CHARS);
    const isPair = (text.charCodeAt(start + LINE_MAX_CHARS - 1) & 0xfc00) === 0xd800;
    const end = space > start ? space : start + LINE_MAX_CHARS - (isPair ? 1 : 0);
    yield text.slice(start, end);
    start = end;
  }
  yield text.slice(start, to);
}

/** The blocks between blank lines. A blank line is an empty block, so that the caller can pause. */
export function* splitBlocks(lines: Iterable<string>): Generator<string> {
  let block: string[] = [];
  let chars = 0;
  for (const line of lines) {
    const isBlank = line.trim() === '';
    if (!isBlank) {
      block.push(line);
      chars += line.length;
    }
    if (!isBlank && chars <= BLOCK_MAX_CHARS) continue;
    yield block.join('\n');
    block = [];
    chars = 0;
  }
  yield block.join('\n');
}

function isHeading(block: string): boolean {
  const line = block.trim();
  if (line.length > HEADING_MAX_CHARS || line.includes('\n')) return false;
  const rest = NUMBERED.exec(line)?.[1];
  return UNNUMBERED.test(line) || (rest !== undefined && TITLE.test(rest));
}
