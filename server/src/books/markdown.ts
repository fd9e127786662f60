import { type Book, ChapterBuilder, collapseSpaces } from './book.ts';
import { linesOf, splitBlocks } from './plain-text.ts';
import { Turns } from './turns.ts';

interface Heading {
  readonly level: number;
  readonly title: string;
}

type Block = Heading | { readonly paragraph: string };

/**
 * Reads Markdown. The chapters begin at the headings of the highest level that occurs more than once; a single heading
 * above them is the title of the book. Code blocks and tables are left out.
 */
export async function readMarkdown(text: string): Promise<Book> {
  const { metadata, body } = splitFrontMatter(text);
  const blocks = await parseBlocks(withoutFences(linesOf(body)));
  const counts = new Map<number, number>();
  for (const block of blocks)
    if ('level' in block) counts.set(block.level, (counts.get(block.level) ?? 0) + 1);
  const levels = [...counts.keys()].sort((a, b) => a - b);
  const chapterLevel = levels.find((level) => counts.get(level)! > 1) ?? levels[0] ?? 1;
  let title = metadata.get('title');
  const builder = new ChapterBuilder();
  const turns = new Turns();
  for (const block of blocks) {
    await turns.pause();
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

/** Replaces fenced code blocks by blank lines. An unclosed one ends with the text. */
function* withoutFences(lines: Iterable<string>): Generator<string> {
  let fence: string | undefined;
  for (const line of lines) {
    const marker = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    const isOutside = fence === undefined && marker === undefined;
    if (fence === undefined) fence = marker;
    else if (marker?.startsWith(fence) && line.trim() === marker) fence = undefined;
    yield isOutside ? line : '';
  }
}

async function parseBlocks(lines: Iterable<string>): Promise<readonly Block[]> {
  const turns = new Turns();
  const blocks: Block[] = [];
  for (const block of splitBlocks(lines)) {
    for (const parsed of parseBlock(block)) {
      blocks.push(parsed);
      await turns.pause();
    }
    await turns.pause();
  }
  return blocks;
}

function* parseBlock(block: string): Generator<Block> {
  let paragraph: string[] = [];
  const flush = function* (): Generator<Block> {
    const content = plainText(paragraph.join(' '));
    paragraph = [];
    if (content !== '') yield { paragraph: content };
  };
  for (const line of block.split('\n')) {
    const heading = parseHeading(line);
    const underline = /^ {0,3}(=+|-+)\s*$/.exec(line)?.[1];
    const item = /^\s*(?:[-*+]|\d{1,9}[.)])\s+(.*)$/.exec(line)?.[1];
    if (heading !== undefined) {
      yield* flush();
      yield heading;
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

/** A heading such as `## Title ##`. */
function parseHeading(line: string): Heading | undefined {
  const marker = /^ {0,3}(#{1,6})(?=\s)/.exec(line);
  if (marker === null) return undefined;
  const title = line.slice(marker[0].length).trim();
  let end = title.length;
  while (title[end - 1] === '#') end--;
  return { level: marker[1]!.length, title: plainText(title.slice(0, end)) };
}

function isRule(line: string): boolean {
  return /^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/.test(line);
}

function isTableRow(line: string): boolean {
  return /^\s*\|.*\|\s*$/.test(line);
}

/** Removes inline syntax. The lengths are limited, so that the cost stays linear. */
function plainText(text: string): string {
  const plain = text
    .replace(/<!--[\s\S]{0,1000}?-->/g, '')
    .replace(/!\[([^\]]{0,300})\]\([^)]{0,1000}\)/g, '$1')
    .replace(/\[([^\]]{0,300})\]\([^)]{0,1000}\)/g, '$1')
    .replace(/\[\^[^\]]{1,50}\]/g, '')
    .replace(/<(https?:[^>\s]{0,1000})>/g, '$1')
    .replace(/<\/?[a-z][^>]{0,300}>/gi, ' ')
    .replace(/(\*\*|__|~~)(?=\S)(.{1,300}?)(?<=\S)\1/g, '$2')
    .replace(/(?<![\w*])\*(?=\S)([^*]{1,300}?)(?<=\S)\*(?![\w*])/g, '$1')
    .replace(/(?<![\w_])_(?=\S)([^_]{1,300}?)(?<=\S)_(?![\w_])/g, '$1')
    .replace(/`{1,3}([^`]{1,300})`{1,3}/g, '$1')
    .replace(/\\([\\`*_{}[\]()#+\-.!>~|])/g, '$1');
  return collapseSpaces(plain);
}
