import { posix } from 'node:path';
import { type Book, ChapterBuilder } from '../book.ts';
import { createInvalidBookError } from '../invalid-book.ts';
import { Turns } from '../turns.ts';
import type { ContentsEntry, PackageDocument } from './package-document.ts';
import { PATH_MAX_CHARS, ZipArchive } from './zip-archive.ts';

/** Encryption of fonts does not concern the text. */
const FONT_OBFUSCATION = /(?:idpf\.org\/2008\/embedding|ns\.adobe\.com\/pdf\/enc#RC)/;

/**
 * Reads an EPUB 2 or 3 on disk. Chapters begin where the table of contents points to; without one, at the headings.
 * Throws `invalid_book`.
 */
export async function readEpub(path: string): Promise<Book> {
  const archive = await ZipArchive.open(path);
  try {
    return await readArchive(archive);
  } finally {
    archive.close();
  }
}

async function readArchive(archive: ZipArchive): Promise<Book> {
  // Loaded with the first book, so that a server without books does not load the parser.
  const [{ readContainer, readPackage }, { extractXhtml }] = await Promise.all([
    import('./package-document.ts'),
    import('./xhtml-text.ts'),
  ]);
  await refuseEncryption(archive);
  const container = await archive.readText('META-INF/container.xml');
  const packagePath = container && (await readContainer(container));
  const source = packagePath && (await archive.readText(packagePath));
  if (!source) throw createInvalidBookError('The EPUB has no package document.');
  const folder = posix.dirname(packagePath);
  const document = await readPackage(source);
  const contents = await readContents(archive, folder, document);
  const builder = new ChapterBuilder();
  const turns = new Turns();
  for (const href of document.spine) {
    await turns.pause();
    const name = resolvePath(folder, href);
    const text = await archive.readText(name);
    if (text === undefined) continue;
    await addDocument(builder, await extractXhtml(text), contents.get(name), contents.size > 0);
  }
  const { title, author, language } = document;
  return { title, author, language, chapters: builder.finish() };
}

async function refuseEncryption(archive: ZipArchive): Promise<void> {
  const encryption = await archive.readText('META-INF/encryption.xml');
  if (encryption === undefined) return;
  const { readEncryption } = await import('./package-document.ts');
  if ((await readEncryption(encryption)).some((algorithm) => !FONT_OBFUSCATION.test(algorithm)))
    throw createInvalidBookError('The EPUB is protected against copying and cannot be read.');
}

/** Titles by document: of its start (key '') and of anchors in it. */
type DocumentTitles = ReadonlyMap<string, string>;

async function readContents(
  archive: ZipArchive,
  folder: string,
  { navigation, ncx }: PackageDocument,
): Promise<ReadonlyMap<string, DocumentTitles>> {
  const { readNavigation, readNcx } = await import('./package-document.ts');
  for (const [href, read] of [
    [navigation, readNavigation],
    [ncx, readNcx],
  ] as const) {
    if (href === undefined) continue;
    const path = resolvePath(folder, href);
    const entries = await read((await archive.readText(path)) ?? '');
    if (entries.length > 0) return groupByDocument(entries, posix.dirname(path));
  }
  return new Map();
}

function groupByDocument(entries: readonly ContentsEntry[], folder: string) {
  const documents = new Map<string, Map<string, string>>();
  for (const { href, label } of entries) {
    const [file = '', anchor = ''] = href.split('#');
    const name = resolvePath(folder, file);
    const titles = documents.get(name) ?? new Map<string, string>();
    if (!titles.has(anchor)) titles.set(anchor, label);
    documents.set(name, titles);
  }
  return documents;
}

type Parts = Awaited<ReturnType<typeof import('./xhtml-text.ts').extractXhtml>>;

async function addDocument(
  builder: ChapterBuilder,
  parts: Parts,
  titles: DocumentTitles | undefined,
  hasContents: boolean,
): Promise<void> {
  const start = titles?.get('');
  /** The title of the chapter that was just started: its heading in the text is not read a second time. */
  let pendingTitle = start;
  if (start !== undefined) builder.heading(start);
  const turns = new Turns();
  for (const part of parts) {
    await turns.pause();
    if (part.kind === 'anchor') {
      const title = titles?.get(part.id);
      if (title === undefined || title === pendingTitle) continue;
      builder.heading(title);
      pendingTitle = title;
    } else if (part.kind === 'heading' && !hasContents && part.level <= 2) builder.heading(part.text);
    else if (part.kind === 'heading' && pendingTitle !== undefined && isSameTitle(part.text, pendingTitle)) {
      pendingTitle = undefined;
    } else {
      builder.paragraph(part.kind === 'heading' && !/[.!?…:]$/.test(part.text) ? `${part.text}.` : part.text);
      if (part.kind === 'paragraph') pendingTitle = undefined;
    }
  }
}

/** Whether a heading is the title of the table of contents or a part of it, such as “Chapter 1” in “Chapter 1: Home”. */
function isSameTitle(heading: string, title: string): boolean {
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
  const [one, two] = [plain(heading), plain(title)];
  return one !== '' && (two.includes(one) || one.includes(two));
}

/** The name of a file in the archive. A path outside of it names no file. */
function resolvePath(folder: string, href: string): string {
  if (href.length > PATH_MAX_CHARS) return '';
  const path = decodePath(href.split('#')[0]!);
  return posix.normalize(posix.join(folder, path)).replace(/^\.\//, '');
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
