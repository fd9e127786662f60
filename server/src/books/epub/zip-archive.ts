import type { Readable } from 'node:stream';
import type { Entry, ZipFile } from 'yauzl';
import { createInvalidBookError } from '../invalid-book.ts';

/** Limits of an archive. They bound the memory, also for an archive made to expand. */
const ENTRIES_MAX = 10_000;
const ENTRY_MAX_BYTES = 8 * 2 ** 20;
const TOTAL_MAX_BYTES = 64 * 2 ** 20;
/** Maximum ratio of a text to its compressed size. Deflate reaches 1032; texts stay below 20. */
const RATIO_MAX = 200;
/** Files with longer names are left out: a name is part of each path that is resolved. */
export const PATH_MAX_CHARS = 1024;

/** Reads files of a ZIP archive on disk, one at a time. */
export class ZipArchive {
  readonly #file: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;
  #bytesLeft = TOTAL_MAX_BYTES;

  private constructor(file: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#file = file;
    this.#entries = entries;
  }

  /** Reads the directory of the archive. Throws `invalid_book` when it is damaged or too large. */
  static async open(path: string): Promise<ZipArchive> {
    const { openPromise } = await import('yauzl');
    let file: ZipFile;
    try {
      file = await openPromise(path, { lazyEntries: true, autoClose: false, validateEntrySizes: true });
    } catch (cause) {
      throw createInvalidBookError('The book is not an EPUB: it is not a ZIP archive.', cause);
    }
    try {
      if (file.entryCount > ENTRIES_MAX) throw createInvalidBookError('The EPUB has too many files.');
      const entries = new Map<string, Entry>();
      for await (const entry of file.eachEntry())
        if (entry.fileName.length <= PATH_MAX_CHARS) entries.set(entry.fileName, entry);
      return new ZipArchive(file, entries);
    } catch (cause) {
      file.close();
      throw toInvalidBook(cause);
    }
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** A file as text. Undefined when the archive does not have it. Throws `invalid_book`. */
  async readText(name: string): Promise<string | undefined> {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    const { uncompressedSize, compressedSize } = entry;
    const isTooLarge = uncompressedSize > ENTRY_MAX_BYTES || uncompressedSize > this.#bytesLeft;
    const expands = uncompressedSize > RATIO_MAX * Math.max(compressedSize, 64);
    if (isTooLarge || expands) throw createInvalidBookError('A file of the EPUB is too large.');
    if (entry.isEncrypted()) throw createInvalidBookError('The EPUB is encrypted.');
    this.#bytesLeft -= uncompressedSize;
    try {
      const bytes = await readAll(await this.#file.openReadStreamPromise(entry), uncompressedSize);
      return decode(bytes);
    } catch (cause) {
      throw toInvalidBook(cause);
    }
  }

  close(): void {
    this.#file.close();
  }
}

/** Reads a stream whose size was declared. */
async function readAll(stream: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw createInvalidBookError('A file of the EPUB is larger than it declares.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** EPUB allows UTF-8 and UTF-16. */
function decode(bytes: Buffer): string {
  const isLittle = bytes[0] === 0xff && bytes[1] === 0xfe;
  const isBig = bytes[0] === 0xfe && bytes[1] === 0xff;
  return new TextDecoder(isLittle ? 'utf-16le' : isBig ? 'utf-16be' : 'utf-8').decode(bytes);
}

function toInvalidBook(cause: unknown) {
  return createInvalidBookError('The EPUB is damaged.', cause);
}
