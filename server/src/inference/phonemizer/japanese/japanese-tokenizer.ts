import type { Entry, JapaneseDictionary } from './japanese-dictionary.ts';

/** A word with its dictionary data. */
export interface JapaneseToken {
  readonly surface: string;
  /** UTF-16 index into the text. */
  readonly start: number;
  /** Part of speech and its first subdivision, in the dictionary's own terms: 名詞, 数. */
  readonly partOfSpeech: string;
  readonly subdivision: string;
  /** Pronunciation in katakana (は as ワ, おう as オー). Undefined for an unknown word. */
  readonly pronunciation: string | undefined;
}

interface Node {
  readonly start: number;
  readonly end: number;
  readonly entry: Entry;
  readonly total: number;
  readonly previous: Node | undefined;
}

const PART_OF_SPEECH_FIELD = 1;
const PRONUNCIATION_FIELD = 9;
const EDGE_ID = 0;

/** Splits text into the words of least total cost (Viterbi search). */
export function tokenizeJapanese(dictionary: JapaneseDictionary, text: string): readonly JapaneseToken[] {
  const endingAt: Node[][] = Array.from({ length: text.length + 1 }, () => []);
  const { utf8, byteStarts, indexOfByte } = encode(text);

  for (let start = 0; start < text.length; start++) {
    if (start > 0 && endingAt[start]!.length === 0) continue;
    const add = (end: number, entries: readonly Entry[]) => {
      for (const entry of entries)
        endingAt[end]!.push(cheapest(dictionary, endingAt[start]!, start, end, entry));
    };
    let isKnown = false;
    dictionary.forEachPrefix(utf8, byteStarts[start]!, (byteEnd, entries) => {
      const end = indexOfByte.get(byteEnd);
      if (end === undefined || entries.length === 0) return;
      isKnown = true;
      add(end, entries);
    });
    const classId = dictionary.classIdOf(text.charCodeAt(start));
    if (!isKnown || dictionary.characterClass(classId).isAlwaysTried) {
      add(unknownEnd(dictionary, text, start, classId), dictionary.unknownEntries(classId));
    }
  }

  const tokens: JapaneseToken[] = [];
  let best: Node | undefined;
  let bestTotal = Number.POSITIVE_INFINITY;
  for (const node of endingAt[text.length]!) {
    const total = node.total + dictionary.connectionCost(node.entry.rightId, EDGE_ID);
    if (total < bestTotal) [best, bestTotal] = [node, total];
  }
  for (let node = best; node !== undefined; node = node.previous) tokens.unshift(tokenOf(node, text));
  return tokens;
}

function cheapest(
  dictionary: JapaneseDictionary,
  before: readonly Node[],
  start: number,
  end: number,
  entry: Entry,
): Node {
  let previous: Node | undefined;
  let total = start === 0 ? dictionary.connectionCost(EDGE_ID, entry.leftId) : Number.POSITIVE_INFINITY;
  for (const node of before) {
    const candidate = node.total + dictionary.connectionCost(node.entry.rightId, entry.leftId);
    if (candidate < total) [previous, total] = [node, candidate];
  }
  return { start, end, entry, total: total + entry.cost, previous };
}

function unknownEnd(dictionary: JapaneseDictionary, text: string, start: number, classId: number): number {
  let end = start + (text.codePointAt(start)! > 0xffff ? 2 : 1);
  if (!dictionary.characterClass(classId).isGrouped) return end;
  while (end < text.length && dictionary.classIdOf(text.charCodeAt(end)) === classId) end++;
  return end;
}

function tokenOf({ start, end, entry }: Node, text: string): JapaneseToken {
  const fields = entry.features().split(',');
  const pronunciation = fields[PRONUNCIATION_FIELD];
  return {
    surface: text.slice(start, end),
    start,
    partOfSpeech: fields[PART_OF_SPEECH_FIELD] ?? '',
    subdivision: fields[PART_OF_SPEECH_FIELD + 1] ?? '',
    pronunciation: pronunciation === '*' ? undefined : pronunciation,
  };
}

/** The text in UTF-8 with maps between character and byte offsets. */
function encode(text: string) {
  const utf8 = Buffer.from(text);
  const byteStarts: number[] = [];
  const indexOfByte = new Map<number, number>();
  let byte = 0;
  for (const character of text) {
    indexOfByte.set(byte, byteStarts.length);
    for (let unit = 0; unit < character.length; unit++) byteStarts.push(byte);
    byte += Buffer.byteLength(character);
  }
  indexOfByte.set(byte, text.length);
  return { utf8, byteStarts, indexOfByte };
}
