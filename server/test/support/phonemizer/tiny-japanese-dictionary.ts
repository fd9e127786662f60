import { JapaneseDictionary } from '../../../src/inference/phonemizer/japanese/japanese-dictionary.ts';

/** An entry of a test dictionary. */
export type TinyEntry = readonly [
  surface: string,
  partOfSpeech: string,
  subdivision: string,
  pronunciation: string,
  cost: number,
];

const KANJI_CLASS = 1;
const KATAKANA_CLASS = 2;
const UNKNOWN_COST = 5000;

/** Builds a dictionary in the compiled format from a few words. All connection costs are zero. */
export function tinyDictionary(entries: readonly TinyEntry[]): JapaneseDictionary {
  const surfaces = [...new Set(entries.map(([surface]) => surface))];
  const trie = compileTrie(surfaces);
  const words = compileEntries(
    entries.map(([surface, partOfSpeech, subdivision, pronunciation, cost]) => ({
      key: surfaces.indexOf(surface),
      cost,
      features: [
        surface,
        partOfSpeech,
        subdivision,
        '*',
        '*',
        '*',
        '*',
        surface,
        pronunciation,
        pronunciation,
      ],
    })),
  );
  const unknown = compileEntries(
    [0, KANJI_CLASS, KATAKANA_CLASS].map((key) => ({
      key,
      cost: UNKNOWN_COST,
      features: ['*', '名詞', '一般', '*', '*', '*', '*', '*'],
    })),
  );
  const classOf = new Uint8Array(0x10000);
  classOf.fill(KANJI_CLASS, 0x4e00, 0xa000);
  classOf.fill(KATAKANA_CLASS, 0x30a1, 0x3100);
  return new JapaneseDictionary({
    'base.dat.gz': bytesOf(trie.base),
    'check.dat.gz': bytesOf(trie.check),
    'tid.dat.gz': words.records,
    'tid_map.dat.gz': words.map,
    'tid_pos.dat.gz': words.features,
    'cc.dat.gz': bytesOf(Int16Array.of(1, 1, 0)),
    'unk.dat.gz': unknown.records,
    'unk_map.dat.gz': unknown.map,
    'unk_pos.dat.gz': unknown.features,
    'unk_char.dat.gz': classOf,
    'unk_invoke.dat.gz': compileClasses(),
  });
}

/** One record per class: two flags (always tried, grouped), a length and a name. */
function compileClasses(): Uint8Array {
  const record = (isTried: number, isGrouped: number, name: string) =>
    Buffer.from([isTried, isGrouped, 0, 0, 0, 0, ...Buffer.from(name), 0]);
  return Buffer.concat([record(0, 0, 'DEFAULT'), record(0, 0, 'KANJI'), record(1, 1, 'KATAKANA')]);
}

function bytesOf(numbers: Int32Array | Int16Array): Uint8Array {
  return new Uint8Array(numbers.buffer);
}

/** A double-array trie: the child of node n for byte b is c = base[n] + b if check[c] is n; byte 0 ends a word. */
function compileTrie(surfaces: readonly string[]): { base: Int32Array; check: Int32Array } {
  const base = new Int32Array(1 << 16);
  const check = new Int32Array(1 << 16).fill(-1);
  const insert = (node: number, keys: readonly { bytes: Uint8Array; value: number }[], depth: number) => {
    const codes = [...new Set(keys.map(({ bytes }) => bytes[depth] ?? 0))];
    let offset = 1;
    while (codes.some((code) => check[offset + code] !== -1)) offset++;
    base[node] = offset;
    for (const code of codes) check[offset + code] = node;
    for (const code of codes) {
      const inside = keys.filter(({ bytes }) => (bytes[depth] ?? 0) === code);
      if (code === 0) base[offset] = -inside[0]!.value - 1;
      else insert(offset + code, inside, depth + 1);
    }
  };
  const keys = surfaces.map((surface, value) => ({ bytes: Buffer.from(surface), value }));
  if (keys.length > 0) insert(0, keys, 0);
  return { base, check };
}

function compileEntries(
  entries: readonly { readonly key: number; readonly cost: number; readonly features: readonly string[] }[],
): { records: Uint8Array; map: Uint8Array; features: Uint8Array } {
  const records = Buffer.alloc(entries.length * 10);
  const features: Buffer[] = [];
  const byKey = new Map<number, number[]>();
  let featuresAt = 0;
  entries.forEach((entry, index) => {
    records.writeInt16LE(entry.cost, index * 10 + 4);
    records.writeInt32LE(featuresAt, index * 10 + 6);
    features.push(Buffer.from(`${entry.features.join(',')}\0`));
    featuresAt += features.at(-1)!.length;
    byKey.set(entry.key, [...(byKey.get(entry.key) ?? []), index * 10]);
  });
  const map = [byKey.size, ...[...byKey].flatMap(([key, places]) => [key, places.length, ...places])];
  return { records, map: bytesOf(Int32Array.from(map)), features: Buffer.concat(features) };
}
