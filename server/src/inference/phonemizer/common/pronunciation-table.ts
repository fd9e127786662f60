import { LruCache } from './lru-cache.ts';

const NEWLINE = 0x0a;
const TAB = 0x09;
/** A text repeats its words, and a word is looked up several times. */
const KEPT_LOOKUPS_MAX = 2048;
/** Longer words are in no dictionary; they would only take memory. */
const KEPT_WORD_LENGTH_MAX = 40;

/**
 * A pronunciation dictionary stored as the bytes of its file: one `word<TAB>pronunciation…` per line, words in byte
 * order. Binary search in the bytes avoids load time and memory beyond the size of the text.
 */
export class PronunciationTable {
  readonly #bytes: Buffer;
  readonly #start: number;
  /** The fields of known words; null for a word that is missing. */
  readonly #lookups = new LruCache<readonly string[] | null>(KEPT_LOOKUPS_MAX);

  /** Lines at the top that start with `;` are comments. Throws if the words are not in byte order. */
  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    let start = 0;
    while (bytes[start] === 0x3b) start = this.#lineEnd(start) + 1;
    this.#start = Math.min(start, bytes.length);
    this.#checkOrder();
  }

  /** The fields after the word, or undefined when it is missing. Case-sensitive. */
  find(word: string): readonly string[] | undefined {
    const known = this.#lookups.get(word);
    if (known !== undefined) return known ?? undefined;
    const found = this.#search(word);
    if (word.length <= KEPT_WORD_LENGTH_MAX) this.#lookups.set(word, found ?? null);
    return found;
  }

  #search(word: string): readonly string[] | undefined {
    const key = Buffer.from(word, 'utf8');
    let low = this.#start;
    let high = this.#bytes.length;
    while (low < high) {
      const line = this.#lineStart((low + high) >>> 1, low);
      const keyEnd = this.#keyEnd(line);
      const order = key.compare(this.#bytes, line, keyEnd);
      if (order === 0) return this.#fields(keyEnd);
      if (order < 0) high = line;
      else low = this.#lineEnd(line) + 1;
    }
    return undefined;
  }

  #fields(keyEnd: number): string[] {
    const rest = this.#bytes.toString('utf8', keyEnd + 1, this.#lineEnd(keyEnd));
    return rest.trimEnd().split('\t');
  }

  #lineStart(position: number, low: number): number {
    const newline = position > low ? this.#bytes.lastIndexOf(NEWLINE, position - 1) : -1;
    return Math.max(newline + 1, low);
  }

  #lineEnd(position: number): number {
    const end = this.#bytes.indexOf(NEWLINE, position);
    return end === -1 ? this.#bytes.length : end;
  }

  #keyEnd(line: number): number {
    const tab = this.#bytes.indexOf(TAB, line);
    return tab === -1 ? this.#lineEnd(line) : tab;
  }

  /** Compares about 256 samples, since lookups in an unordered table would fail silently. */
  #checkOrder(): void {
    const step = Math.max(1, Math.floor((this.#bytes.length - this.#start) / 256));
    let previous = -1;
    for (let position = this.#start; position < this.#bytes.length; position += step) {
      const line = this.#lineStart(position, this.#start);
      if (previous >= 0 && line > previous) {
        const a = this.#bytes.subarray(previous, this.#keyEnd(previous));
        const b = this.#bytes.subarray(line, this.#keyEnd(line));
        if (Buffer.compare(a, b) > 0) throw new Error('The pronunciation dictionary is not in byte order.');
      }
      previous = line;
    }
  }
}
