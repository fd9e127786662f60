import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

/** The files of a compiled IPADIC in kuromoji's format. */
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

/** A dictionary entry: its cost, connection ids and features. */
export interface Entry {
  readonly leftId: number;
  readonly rightId: number;
  readonly cost: number;
  /** Comma-separated: surface, four levels of part of speech, two of conjugation, base form, reading, pronunciation. */
  readonly features: () => string;
}

/** Rules for unknown words made of characters of one class. */
export interface CharacterClass {
  /** Unknown words are candidates even where a known word matches. */
  readonly isAlwaysTried: boolean;
  /** A run of characters of the class is one word. */
  readonly isGrouped: boolean;
}

/** Throws an error with the file name when a file is missing or damaged. */
export async function loadJapaneseDictionary(folder: string): Promise<JapaneseDictionary> {
  const unzip = promisify(gunzip);
  const files: Partial<Record<JapaneseDictionaryFile, Uint8Array>> = {};
  // Sequentially, since each file takes many megabytes before its padding is removed.
  for (const name of JAPANESE_DICTIONARY_FILES) {
    try {
      files[name] = withoutPadding(await unzip(await readFile(join(folder, name))));
    } catch (cause) {
      throw new Error(`The Japanese dictionary file ${name} cannot be read.`, { cause });
    }
  }
  return new JapaneseDictionary(files as Record<JapaneseDictionaryFile, Uint8Array>);
}

/** Removes the zero padding of a file, except for a few zeros that can belong to the last value. */
function withoutPadding(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  // A copy, since a view would retain the padded buffer.
  return new Uint8Array(bytes.subarray(0, Math.ceil(end / 8) * 8 + 8));
}

/** A dictionary in memory: a double-array trie of words and the connection cost matrix. */
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

  /** Calls `found` for every word that is a prefix of the bytes from `start`, shortest first. */
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

  /** Connection cost of a word with `leftId` after one with `rightId`. */
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

/** Copies the bytes, since typed arrays need aligned memory and a slice of a pooled buffer may not be aligned. */
function copyOf(bytes: Uint8Array): ArrayBuffer {
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
}

const ENTRY_FEATURES_OFFSET = 6;

/** Entries by key. A record has ten bytes: two ids, a cost and the offset of the features. */
class EntryTable {
  readonly #records: Buffer;
  readonly #features: Buffer;
  /** Offset of each key in `#map`; -1 for a key without entries. */
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
  // Records of two flags, a length and a zero-terminated name, followed by padding.
  for (let at = 0; at + 6 < text.length && text[at + 6] !== 0; at = text.indexOf(0, at + 6) + 1) {
    classes.push({ isAlwaysTried: text[at] === 1, isGrouped: text[at + 1] === 1 });
  }
  return classes;
}
