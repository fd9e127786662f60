import type { DictionaryMatcher } from './normalise/fixed-spans.ts';

/** The pronunciation of a word or phrase. */
export interface DictionaryItem {
  readonly key: string;
  /** Phonemes, in the notation of phoneme spans. */
  readonly value: string;
  readonly isCaseSensitive: boolean;
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

/**
 * Matches items as substrings of a text, the longest at each position. ASCII letters match case-insensitively unless
 * the item is case-sensitive. Of items with the same key the first is used. Memory is proportional to the items, the
 * time per position to the longest key.
 */
export function createDictionaryMatcher(items: Iterable<DictionaryItem>): DictionaryMatcher {
  const root = createNode('');
  let rank = 0;
  for (const item of items) addItem(root, item, rank++);
  return { longestAt: (text, at, end) => longestAt(root, text, at, end) };
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

function longestAt(root: RadixNode, text: string, at: number, end: number) {
  let best: { length: number; value: string } | undefined;
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
    if (item) best = { length: position - at, value: item.value };
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
