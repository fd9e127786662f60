import type { SpokenWord } from '../../../src/text/piece.ts';

/** Splits plain text into words for tests, without normalisation. */
export function wordsOf(text: string): SpokenWord[] {
  const words: SpokenWord[] = [];
  for (const match of text.matchAll(/([“"(]*)([\p{L}\p{M}'’-]+)([,;:.!?…—”")।]*)/gu)) {
    const [whole, before = '', word = '', after = ''] = match;
    words.push({ text: word, start: match.index, end: match.index + whole.length, before, after });
  }
  return words;
}

/** An abbreviation as the text front end splits it: one word per letter, all with the same span. */
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
