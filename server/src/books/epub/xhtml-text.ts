import { collapseSpaces } from '../book.ts';
import { parseMarkup } from './parse-markup.ts';

/** Text of a content document, in reading order. */
export type XhtmlPart =
  | { readonly kind: 'anchor'; readonly id: string }
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'paragraph'; readonly text: string };

/** Elements whose content is not read aloud. */
const SKIPPED = new Set(
  'head script style nav svg math template rt rp object iframe audio video figure table'.split(' '),
);
/** Elements that separate paragraphs. */
const BLOCKS = new Set(
  'address article aside blockquote body dd div dl dt figcaption footer h1 h2 h3 h4 h5 h6 header hr li main ol p pre section ul'.split(
    ' ',
  ),
);
/** `epub:type` of references to notes and of page numbers. */
const SKIPPED_TYPES = /\b(noteref|pagebreak|footnotes?|endnotes?|rearnotes?|toc|index)\b/;
/** A longer paragraph is divided at a space: the white space of a paragraph is collapsed in one step. */
const PARAGRAPH_MAX_CHARS = 20_000;

/** Extracts the text of an XHTML document. Tolerates malformed markup, as reading systems do. */
export async function extractXhtml(source: string): Promise<XhtmlPart[]> {
  const parts: XhtmlPart[] = [];
  let text = '';
  /** Whether `text` contains more than white space. */
  let hasText = false;
  let headingLevel = 0;
  let depth = 0;
  /** The depth of the outermost skipped element; 0: none. */
  let skippedFrom = 0;
  const flush = () => {
    const content = collapseSpaces(text);
    text = '';
    hasText = false;
    if (content === '') return;
    parts.push(
      headingLevel > 0
        ? { kind: 'heading', level: headingLevel, text: content }
        : { kind: 'paragraph', text: content },
    );
  };
  await parseMarkup(source, {
    onopentag(name, attributes) {
      depth++;
      if (skippedFrom > 0) return;
      if (isSkipped(name, attributes)) {
        skippedFrom = depth;
        return;
      }
      if (BLOCKS.has(name)) flush();
      const id = attributes.id ?? attributes.name;
      if (id !== undefined) {
        if (!hasText) parts.push({ kind: 'anchor', id });
      }
      if (name === 'br') text += ' ';
      const level = headingLevelOf(name);
      if (level > 0) headingLevel = level;
    },
    ontext(chunk) {
      if (skippedFrom > 0) return;
      let rest = chunk;
      if (text.length > PARAGRAPH_MAX_CHARS) {
        const end = lastSpaceEnd(chunk);
        text += chunk.slice(0, end);
        if (end > 0) flush();
        rest = chunk.slice(end);
      }
      text += rest;
      hasText ||= rest.trim() !== '';
    },
    onclosetag(name) {
      if (skippedFrom === depth) skippedFrom = 0;
      else if (skippedFrom === 0 && BLOCKS.has(name)) {
        flush();
        if (headingLevelOf(name) > 0) headingLevel = 0;
      }
      depth--;
    },
  });
  flush();
  return parts;
}

/** The offset after the last white space; 0 without any. */
function lastSpaceEnd(text: string): number {
  let end = text.length;
  while (end > 0 && !/\s/.test(text[end - 1]!)) end--;
  return end;
}

function isSkipped(name: string, attributes: Readonly<Record<string, string>>): boolean {
  const type = attributes['epub:type'] ?? attributes.role ?? '';
  return SKIPPED.has(name) || SKIPPED_TYPES.test(type) || attributes.hidden !== undefined;
}

function headingLevelOf(name: string): number {
  return /^h[1-6]$/.test(name) ? Number(name[1]) : 0;
}
