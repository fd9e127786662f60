import type { DictionaryMatcher } from './normalise/fixed-spans.ts';

/** How one word or phrase is to sound. */
export interface DictionaryItem {
  readonly key: string;
  /** Phonemes, as between the marks of a phoneme span. */
  readonly value: string;
  readonly isCaseSensitive: boolean;
}

/** An item with its place among all; the earliest wins among equals. */
interface RankedValue {
  readonly value: string;
  readonly rank: number;
}

/** A branch of the tree: what it adds to the branches above it, in lower case, and the items that end there. */
interface RadixNode {
  label: string;
  children: Map<number, RadixNode>;
  anyCase: RankedValue | undefined;
  exact: Map<string, RankedValue> | undefined;
}

/**
 * Finds items in a text: plain substrings, at each place the longest, whatever the case of ASCII letters unless
 * an item says otherwise. Of items with the same key the earliest counts. Memory grows with the number of items,
 * and the time to look at one place with the longest key at most.
 */
export function createDictionaryMatcher(items: Iterable<DictionaryItem>): DictionaryMatcher {
  const root = branch('');
  let rank = 0;
  for (const item of items) addItem(root, item, rank++);
  return { longestAt: (text, at, end) => longestAt(root, text, at, end) };
}

function branch(label: string): RadixNode {
  return { label, children: new Map(), anyCase: undefined, exact: undefined };
}

function addItem(root: RadixNode, { key, value, isCaseSensitive }: DictionaryItem, rank: number): void {
  const leaf = branchFor(root, folded(key));
  const ranked = { value, rank };
  if (!isCaseSensitive) {
    leaf.anyCase ??= ranked;
    return;
  }
  leaf.exact ??= new Map();
  if (!leaf.exact.has(key)) leaf.exact.set(key, ranked);
}

/** The branch where a key ends, made and split off as needed. */
function branchFor(root: RadixNode, key: string): RadixNode {
  let at = 0;
  let node = root;
  while (at < key.length) {
    const child = node.children.get(key.charCodeAt(at));
    if (!child) {
      const leaf = branch(key.slice(at));
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
  const upper = branch(child.label.slice(0, length));
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
