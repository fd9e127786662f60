import type { SpokenWord } from '../../../src/text/piece.ts';

/** Splits plain text into words for tests; digits and the like are not normalised. */
export function wordsOf(text: string): SpokenWord[] {
  const words: SpokenWord[] = [];
  for (const match of text.matchAll(/([“"(]*)([\p{L}\p{M}'’-]+)([,;:.!?…—”")।]*)/gu)) {
    const [whole, before = '', word = '', after = ''] = match;
    words.push({ text: word, start: match.index, end: match.index + whole.length, before, after });
  }
  return words;
}

/** A written abbreviation as the text front end gives it: one word per letter, all at one place. */
export function lettersOf(abbreviation: string): SpokenWord[] {
  return [...abbreviation].map((letter) => ({
    text: letter,
    start: 0,
    end: abbreviation.length,
    before: '',
    after: '',
    spell: true,
  }));
}
