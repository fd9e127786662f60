import type { DictionaryMatcher } from './normalise/fixed-spans.ts';

/** The pronunciation of a word or phrase. */
export interface DictionaryItem {
  readonly key: string;
  /** Phonemes, in the notation of phoneme spans. */
  readonly value: string;
  readonly isCaseSensitive: boolean;
  /** Whether the key matches only between word boundaries. Default: also within words. */
  readonly isWholeWord?: boolean;
}

/** A value with its index in the list; of equal keys the lowest index takes precedence. */
interface RankedValue {
  readonly value: string;
  readonly rank: number;
}

/** A node of the radix tree: its label in lower case, and the items whose key ends there. */
interface RadixNode {
  label: string;
  children: Map<number, RadixNode>;
  anyCase: RankedValue | undefined;
  exact: Map<string, RankedValue> | undefined;
}

/** An item that matches at a position. */
interface Match extends RankedValue {
  readonly length: number;
}

const WORD_CHARACTER = /[\p{L}\p{M}\p{N}]/u;

/**
 * Matches items as substrings of a text, the longest at each position; an item for whole words only between word
 * boundaries. ASCII letters match case-insensitively unless the item is case-sensitive. Of items with the same key the
 * first is used. Memory is proportional to the items, the time per position to the longest key.
 */
export function createDictionaryMatcher(items: Iterable<DictionaryItem>): DictionaryMatcher {
  const anywhere = createNode('');
  const wholeWords = createNode('');
  let rank = 0;
  for (const item of items) addItem(item.isWholeWord ? wholeWords : anywhere, item, rank++);
  return {
    longestAt: (text, at, end) =>
      preferred(
        longestAt(anywhere, text, at, end),
        wholeWords.children.size > 0 && isWordBoundary(text, at)
          ? longestAt(wholeWords, text, at, end, (matchEnd) => isWordBoundary(text, matchEnd))
          : undefined,
      ),
  };
}

/** The longer match; of equally long ones the one that is earlier in the list. */
function preferred(first: Match | undefined, second: Match | undefined): Match | undefined {
  if (!first || !second) return first ?? second;
  if (first.length !== second.length) return first.length > second.length ? first : second;
  return first.rank < second.rank ? first : second;
}

/** Whether a word begins or ends at an offset. */
function isWordBoundary(text: string, at: number): boolean {
  return !(
    isWordCharacter(text.slice(Math.max(0, at - 2), at), -1) && isWordCharacter(text.slice(at, at + 2), 0)
  );
}

function isWordCharacter(neighbours: string, index: 0 | -1): boolean {
  const character = [...neighbours].at(index);
  return character !== undefined && WORD_CHARACTER.test(character);
}

function createNode(label: string): RadixNode {
  return { label, children: new Map(), anyCase: undefined, exact: undefined };
}

function addItem(root: RadixNode, { key, value, isCaseSensitive }: DictionaryItem, rank: number): void {
  const leaf = nodeFor(root, folded(key));
  const ranked = { value, rank };
  if (!isCaseSensitive) {
    leaf.anyCase ??= ranked;
    return;
  }
  leaf.exact ??= new Map();
  if (!leaf.exact.has(key)) leaf.exact.set(key, ranked);
}

/** Finds or creates the node of a key. */
function nodeFor(root: RadixNode, key: string): RadixNode {
  let at = 0;
  let node = root;
  while (at < key.length) {
    const child = node.children.get(key.charCodeAt(at));
    if (!child) {
      const leaf = createNode(key.slice(at));
      node.children.set(key.charCodeAt(at), leaf);
      return leaf;
    }
    const shared = sharedLength(child.label, key, at);
    node = shared === child.label.length ? child : split(node, child, shared);
    at += shared;
  }
  return node;
}

function split(parent: RadixNode, child: RadixNode, length: number): RadixNode {
  const upper = createNode(child.label.slice(0, length));
  child.label = child.label.slice(length);
  upper.children.set(child.label.charCodeAt(0), child);
  parent.children.set(upper.label.charCodeAt(0), upper);
  return upper;
}

function sharedLength(label: string, key: string, at: number): number {
  let length = 0;
  while (length < label.length && label.charCodeAt(length) === key.charCodeAt(at + length)) length++;
  return length;
}

/** The longest item of a tree that begins at `at`, ends at or before `end`, and whose end `mayEndAt` accepts. */
function longestAt(
  root: RadixNode,
  text: string,
  at: number,
  end: number,
  mayEndAt: (end: number) => boolean = () => true,
): Match | undefined {
  let best: Match | undefined;
  let position = at;
  for (let node: RadixNode | undefined = root; node; ) {
    const { label } = node;
    if (position + label.length > end) break;
    let index = 0;
    while (index < label.length && foldedCode(text.charCodeAt(position + index)) === label.charCodeAt(index))
      index++;
    if (index < label.length) break;
    position += label.length;
    const item = itemOf(node, text, at, position);
    if (item && mayEndAt(position)) best = { ...item, length: position - at };
    node = position < end ? node.children.get(foldedCode(text.charCodeAt(position))) : undefined;
  }
  return best;
}

function itemOf(
  { anyCase, exact }: RadixNode,
  text: string,
  at: number,
  end: number,
): RankedValue | undefined {
  const same = exact?.get(text.slice(at, end));
  return same && anyCase ? (same.rank < anyCase.rank ? same : anyCase) : (same ?? anyCase);
}

function folded(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function foldedCode(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code;
}
