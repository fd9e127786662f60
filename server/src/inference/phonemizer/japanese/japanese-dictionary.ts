import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

/** The files of a compiled IPADIC, as the kuromoji packages carry it. */
export const JAPANESE_DICTIONARY_FILES = [
  'base.dat.gz',
  'check.dat.gz',
  'tid.dat.gz',
  'tid_map.dat.gz',
  'tid_pos.dat.gz',
  'cc.dat.gz',
  'unk.dat.gz',
  'unk_map.dat.gz',
  'unk_pos.dat.gz',
  'unk_char.dat.gz',
  'unk_invoke.dat.gz',
] as const;
export type JapaneseDictionaryFile = (typeof JAPANESE_DICTIONARY_FILES)[number];

/** A candidate for a stretch of text: what it costs, what may stand beside it, and where its features are. */
export interface Entry {
  readonly leftId: number;
  readonly rightId: number;
  readonly cost: number;
  /** Comma-separated: surface, four levels of part of speech, two of conjugation, base form, reading, pronunciation. */
  readonly features: () => string;
}

/** How words that are in no dictionary are made of characters of one class. */
export interface CharacterClass {
  /** Unknown words are tried even where a known one fits. */
  readonly isAlwaysTried: boolean;
  /** A run of the class is one word. */
  readonly isGrouped: boolean;
}

/** Throws with the name of the file when one is missing or damaged. */
export async function loadJapaneseDictionary(folder: string): Promise<JapaneseDictionary> {
  const unzip = promisify(gunzip);
  const files: Partial<Record<JapaneseDictionaryFile, Uint8Array>> = {};
  // One after the other, since each is many megabytes until its padding is cut off.
  for (const name of JAPANESE_DICTIONARY_FILES) {
    try {
      files[name] = withoutPadding(await unzip(await readFile(join(folder, name))));
    } catch (cause) {
      throw new Error(`The Japanese dictionary file ${name} cannot be read.`, { cause });
    }
  }
  return new JapaneseDictionary(files as Record<JapaneseDictionaryFile, Uint8Array>);
}

/** Files are padded with zeros to a round size; a few are kept, as the end of a last number or text. */
function withoutPadding(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  // A copy: a view would keep all of it in memory.
  return new Uint8Array(bytes.subarray(0, Math.ceil(end / 8) * 8 + 8));
}

/** A dictionary in memory: words by their first characters, and the cost of one word beside another. */
export class JapaneseDictionary {
  readonly #base: Int32Array;
  readonly #check: Int32Array;
  readonly #words: EntryTable;
  readonly #unknown: EntryTable;
  readonly #costs: Int16Array;
  readonly #classOf: Uint8Array;
  readonly #classes: readonly CharacterClass[];

  constructor(files: Readonly<Record<JapaneseDictionaryFile, Uint8Array>>) {
    this.#base = new Int32Array(copyOf(files['base.dat.gz']));
    this.#check = new Int32Array(copyOf(files['check.dat.gz']));
    this.#costs = new Int16Array(copyOf(files['cc.dat.gz']));
    this.#words = new EntryTable(files['tid.dat.gz'], files['tid_map.dat.gz'], files['tid_pos.dat.gz']);
    this.#unknown = new EntryTable(files['unk.dat.gz'], files['unk_map.dat.gz'], files['unk_pos.dat.gz']);
    this.#classOf = files['unk_char.dat.gz'];
    this.#classes = readClasses(files['unk_invoke.dat.gz']);
  }

  /** Calls back for every word that the bytes from `start` begin with, shortest first. */
  forEachPrefix(
    utf8: Uint8Array,
    start: number,
    found: (byteEnd: number, entries: readonly Entry[]) => void,
  ): void {
    let node = 0;
    for (let index = start; index < utf8.length; index++) {
      const child = this.#child(node, utf8[index]!);
      if (child === undefined) return;
      node = child;
      const leaf = this.#child(node, 0);
      const value = leaf === undefined ? 1 : this.#base[leaf]!;
      if (value <= 0) found(index + 1, this.#words.entries(-value - 1));
    }
  }

  #child(node: number, code: number): number | undefined {
    const child = this.#base[node]! + code;
    return this.#check[child] === node ? child : undefined;
  }

  /** What it costs to put a word with `leftId` after one with `rightId`. */
  connectionCost(rightId: number, leftId: number): number {
    return this.#costs[2 + rightId * this.#costs[1]! + leftId] ?? 0;
  }

  classIdOf(codeUnit: number): number {
    return this.#classOf[codeUnit] ?? 0;
  }

  characterClass(classId: number): CharacterClass {
    return this.#classes[classId] ?? { isAlwaysTried: true, isGrouped: false };
  }

  unknownEntries(classId: number): readonly Entry[] {
    return this.#unknown.entries(classId);
  }
}

/** Typed arrays need memory that is aligned, which a slice of a pooled buffer is not. */
function copyOf(bytes: Uint8Array): ArrayBuffer {
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
}

const ENTRY_FEATURES_OFFSET = 6;

/** Entries by number: ten bytes each (two ids, a cost, where the features start), several for one key. */
class EntryTable {
  readonly #records: Buffer;
  readonly #features: Buffer;
  /** Where a key's part of `#map` starts; -1 for a key without entries. */
  readonly #starts: Int32Array;
  readonly #map: DataView;

  constructor(records: Uint8Array, map: Uint8Array, features: Uint8Array) {
    this.#records = Buffer.from(records.buffer, records.byteOffset, records.byteLength);
    this.#features = Buffer.from(features.buffer, features.byteOffset, features.byteLength);
    this.#map = new DataView(map.buffer, map.byteOffset, map.byteLength);
    this.#starts = indexMap(this.#map);
  }

  entries(key: number): readonly Entry[] {
    const start = this.#starts[key] ?? -1;
    if (start < 0) return [];
    const count = this.#map.getInt32(start, true);
    return Array.from({ length: count }, (_, index) =>
      this.#entry(this.#map.getInt32(start + 4 + 4 * index, true)),
    );
  }

  #entry(at: number): Entry {
    return {
      leftId: this.#records.readInt16LE(at),
      rightId: this.#records.readInt16LE(at + 2),
      cost: this.#records.readInt16LE(at + 4),
      features: () => {
        const start = this.#records.readInt32LE(at + ENTRY_FEATURES_OFFSET);
        return this.#features.toString('utf8', start, this.#features.indexOf(0, start));
      },
    };
  }
}

function indexMap(map: DataView): Int32Array {
  const starts: number[] = [];
  const keyCount = map.getInt32(0, true);
  let at = 4;
  for (let seen = 0; seen < keyCount; seen++) {
    starts[map.getInt32(at, true)] = at + 4;
    at += 8 + 4 * map.getInt32(at + 4, true);
  }
  return Int32Array.from(starts, (start) => start ?? -1);
}

function readClasses(bytes: Uint8Array): CharacterClass[] {
  const classes: CharacterClass[] = [];
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Two flags, a length, and a name that ends in zero; what follows the last one is padding.
  for (let at = 0; at + 6 < text.length && text[at + 6] !== 0; at = text.indexOf(0, at + 6) + 1) {
    classes.push({ isAlwaysTried: text[at] === 1, isGrouped: text[at + 1] === 1 });
  }
  return classes;
}
