import { open, readFile, stat } from 'node:fs/promises';
import { ApiError } from '../errors.ts';
import { type Book, type BookFormat, collapseSpaces, TITLE_MAX_CHARS } from './book.ts';
import { readEpub } from './epub/read-epub.ts';
import { createInvalidBookError } from './invalid-book.ts';
import { readMarkdown } from './markdown.ts';
import { readPlainText } from './plain-text.ts';

const ZIP_SIGNATURE = Buffer.from('PK\u0003\u0004', 'latin1');
/** UTF-8 bytes per character. */
const BYTES_PER_CHAR_MAX = 4;
/** The part of a title or of another fact that is read. */
const FACT_MAX_CHARS = 2000;

export interface BookLimits {
  /** Maximum number of characters of all paragraphs. Above it: `text_too_long`. */
  readonly maxChars: number;
}

/** A book that was received: its text, or a file on disk. */
export type BookSource = { readonly text: string } | { readonly path: string; readonly fileName: string };

/**
 * Reads a book. Without a format, that of a file is found from its first bytes and its name. Throws `invalid_book` or
 * `text_too_long`.
 */
export async function readBook(
  source: BookSource,
  format: BookFormat | undefined,
  limits: BookLimits,
): Promise<Book> {
  const chosen = format ?? (await detectFormat(source));
  const book = await parseBook(source, chosen, limits);
  const chars = book.chapters.reduce(
    (sum, { title = '', paragraphs }) =>
      paragraphs.reduce((count, paragraph) => count + paragraph.length, sum + title.length),
    0,
  );
  if (chars > limits.maxChars) throw createTooLongError(limits);
  if (!book.chapters.some(({ paragraphs }) => paragraphs.some((text) => /[\p{L}\p{N}]/u.test(text))))
    throw createInvalidBookError('The book contains no text.');
  const { title, author, language } = book;
  return { ...book, title: shorten(title), author: shorten(author), language: shorten(language) };
}

/** Facts of a book are stored and listed with its job. */
function shorten(fact: string | undefined): string | undefined {
  const short = fact && collapseSpaces(fact.slice(0, FACT_MAX_CHARS)).slice(0, TITLE_MAX_CHARS);
  return short === '' ? undefined : short;
}

async function detectFormat(source: BookSource): Promise<BookFormat> {
  if ('text' in source) return 'text';
  const file = await open(source.path);
  try {
    const { buffer } = await file.read({ buffer: Buffer.alloc(4), position: 0 });
    if (buffer.equals(ZIP_SIGNATURE)) return 'epub';
  } finally {
    await file.close();
  }
  return /\.(md|markdown|mkd)$/i.test(source.fileName) ? 'markdown' : 'text';
}

async function parseBook(source: BookSource, format: BookFormat, limits: BookLimits): Promise<Book> {
  if (format === 'epub') {
    if ('text' in source) throw createInvalidBookError('An EPUB is sent as a file.');
    return readEpub(source.path);
  }
  const text = await readText(source, limits);
  return format === 'markdown' ? readMarkdown(text) : readPlainText(text);
}

async function readText(source: BookSource, limits: BookLimits): Promise<string> {
  if ('text' in source) return source.text;
  const { size } = await stat(source.path);
  // Markup and blank lines count here, but not in the text that is spoken.
  if (size > 2 * BYTES_PER_CHAR_MAX * limits.maxChars) throw createTooLongError(limits);
  const bytes = await readFile(source.path);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (text.length > 2 * limits.maxChars) throw createTooLongError(limits);
    return text;
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    throw createInvalidBookError('The text is not UTF-8.', cause);
  }
}

function createTooLongError({ maxChars }: BookLimits): ApiError {
  return new ApiError('text_too_long', `The book is longer than ${maxChars} characters.`);
}
