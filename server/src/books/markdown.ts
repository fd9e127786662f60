import { type Book, ChapterBuilder, collapseSpaces } from './book.ts';
import { splitBlocks } from './plain-text.ts';

interface Heading {
  readonly level: number;
  readonly title: string;
}

type Block = Heading | { readonly paragraph: string };

/**
 * Reads Markdown. The chapters begin at the headings of the highest level that occurs more than once; a single heading
 * above them is the title of the book. Code blocks and tables are left out.
 */
export function readMarkdown(text: string): Book {
  const { metadata, body } = splitFrontMatter(text);
  const blocks = [...parseBlocks(withoutFences(body))];
  const counts = new Map<number, number>();
  for (const block of blocks)
    if ('level' in block) counts.set(block.level, (counts.get(block.level) ?? 0) + 1);
  const levels = [...counts.keys()].sort((a, b) => a - b);
  const chapterLevel = levels.find((level) => counts.get(level)! > 1) ?? levels[0] ?? 1;
  let title = metadata.get('title');
  const builder = new ChapterBuilder();
  for (const block of blocks) {
    if ('paragraph' in block) builder.paragraph(block.paragraph);
    else if (block.level === chapterLevel) builder.heading(block.title);
    else if (block.level < chapterLevel && title === undefined) title = block.title;
    else if (block.level < chapterLevel) builder.heading(block.title);
    else builder.paragraph(endSentence(block.title));
  }
  return {
    title,
    author: metadata.get('author'),
    language: metadata.get('lang') ?? metadata.get('language'),
    chapters: builder.finish(),
  };
}

/** A heading inside a chapter is read as a sentence. */
function endSentence(title: string): string {
  return /[.!?…:]$/.test(title) ? title : `${title}.`;
}

const FRONT_MATTER = /^\ufeff?---[ \t]*\r?\n([\s\S]{0,10000}?)\r?\n---[ \t]*(?:\r?\n|$)/;

function splitFrontMatter(text: string): { metadata: Map<string, string>; body: string } {
  const match = FRONT_MATTER.exec(text);
  const metadata = new Map<string, string>();
  for (const line of match?.[1]?.split(/\r?\n/) ?? []) {
    const [, name, value] = /^(\w+):\s*(.+)$/.exec(line) ?? [];
    if (name !== undefined) metadata.set(name.toLowerCase(), value!.replace(/^(["'])(.*)\1$/, '$2').trim());
  }
  return { metadata, body: text.slice(match?.[0].length ?? 0) };
}

/** Removes fenced code blocks. An unclosed one ends with the text. */
function withoutFences(text: string): string {
  const lines: string[] = [];
  let fence: string | undefined;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const marker = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined && marker !== undefined) fence = marker;
    else if (fence !== undefined) {
      if (marker?.startsWith(fence) && line.trim() === marker) fence = undefined;
    } else lines.push(line);
  }
  return lines.join('\n');
}

function* parseBlocks(text: string): Generator<Block> {
  for (const block of splitBlocks(text)) {
    let paragraph: string[] = [];
    const flush = function* (): Generator<Block> {
      const content = plainText(paragraph.join(' '));
      paragraph = [];
      if (content !== '') yield { paragraph: content };
    };
    for (const line of block.split('\n')) {
      const heading = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line);
      const underline = /^ {0,3}(=+|-+)\s*$/.exec(line)?.[1];
      const item = /^\s*(?:[-*+]|\d{1,9}[.)])\s+(.*)$/.exec(line)?.[1];
      if (heading !== null) {
        yield* flush();
        yield { level: heading[1]!.length, title: plainText(heading[2]!) };
      } else if (underline !== undefined && paragraph.length > 0) {
        const title = plainText(paragraph.join(' '));
        paragraph = [];
        yield { level: underline.startsWith('=') ? 1 : 2, title };
      } else if (isRule(line) || isTableRow(line)) {
        yield* flush();
      } else if (item !== undefined) {
        yield* flush();
        paragraph.push(item);
      } else paragraph.push(line.replace(/^\s*(?:>\s?)+/, ''));
    }
    yield* flush();
  }
}

function isRule(line: string): boolean {
  return /^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/.test(line);
}

function isTableRow(line: string): boolean {
  return /^\s*\|.*\|\s*$/.test(line);
}

/** Removes inline syntax. */
function plainText(text: string): string {
  const plain = text
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/!\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\[\^[^\]]{1,50}\]/g, '')
    .replace(/<(https?:[^>\s]*)>/g, '$1')
    .replace(/<\/?[a-z][^>]*>/gi, ' ')
    .replace(/(\*\*|__|~~)(?=\S)(.+?)(?<=\S)\1/g, '$2')
    .replace(/(?<![\w*])\*(?=\S)([^*]+?)(?<=\S)\*(?![\w*])/g, '$1')
    .replace(/(?<![\w_])_(?=\S)([^_]+?)(?<=\S)_(?![\w_])/g, '$1')
    .replace(/`+([^`]+)`+/g, '$1')
    .replace(/\\([\\`*_{}[\]()#+\-.!>~|])/g, '$1');
  return collapseSpaces(plain);
}
