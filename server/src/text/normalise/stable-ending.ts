import type { SpokenWord } from '../piece.ts';

/** Verbalizes a text in the language of its context. */
export type VerbalizeWords = (text: string, context: string) => readonly SpokenWord[];

/**
 * Probe continuations of a text. Each is part of an expression (number, date, time, abbreviation) that could begin in
 * the text. If none of them changes the words of the text, no continuation is expected to.
 */
const CONTINUATIONS = ['the', 'The', '5', '2024', '30 p.m.', 'Jr.'];
const UNSPACED_CONTINUATIONS = ['好', 'の', '5', '年', 'A'];
/** Number of characters at the end of a text that a continuation can affect. */
const TAIL = 160;

/** The end of a text whose words do not depend on what follows. */
export interface StableEnding {
  /** Punctuation after the last word. */
  readonly punctuation: string;
}

/**
 * Determines whether a text that ends between two words can be verbalized without lookahead. Undefined if a
 * continuation could change its words. `continuation` is the text that follows, as far as it is known. A step
 * verbalizes the end of the text once.
 */
export function* findStableEndingInSteps(
  text: string,
  verbalizeWords: VerbalizeWords,
  continuation?: string,
): Generator<void, StableEnding | undefined> {
  const tail = tailOf(text);
  const verbalize = (part: string) => verbalizeWords(part, tail);
  const alone = verbalize(tail);
  if (alone.length === 0) return undefined;
  const continuations =
    continuation !== undefined ? [continuation] : /\s$/.test(text) ? CONTINUATIONS : UNSPACED_CONTINUATIONS;
  let punctuation: string | undefined;
  for (const next of continuations) {
    yield;
    const together = verbalize(tail + next);
    const last = together[alone.length - 1];
    if (last === undefined || (punctuation !== undefined && last.after !== punctuation)) return undefined;
    if (!alone.every((word, index) => isSame(word, together[index]!))) return undefined;
    // A known continuation may be incomplete, so that its own words are not comparable.
    if (continuation === undefined && !isSameText(together.slice(alone.length), verbalize(next)))
      return undefined;
    punctuation = last.after;
  }
  return punctuation === undefined ? undefined : { punctuation };
}

/** The end of a text, cut at a space if possible. */
function tailOf(text: string): string {
  if (text.length <= TAIL) return text;
  const from = text.length - TAIL;
  const space = text.slice(from, -1).search(/\s/);
  return text.slice(space < 0 ? from : from + space);
}

function isSame(one: SpokenWord, other: SpokenWord): boolean {
  return one.text === other.text && one.start === other.start && one.end === other.end;
}

function isSameText(some: readonly SpokenWord[], others: readonly SpokenWord[]): boolean {
  return some.length === others.length && some.every((word, index) => word.text === others[index]!.text);
}
