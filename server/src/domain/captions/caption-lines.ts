import type { CaptionWord } from './caption.ts';
import { displayWidth } from './display-width.ts';

/** What fits on one line of a screen or a phone. */
export const LINE_COLUMNS_MAX = 42;

/** The words as one line of text. */
export function joinWords(words: readonly CaptionWord[]): string {
  return words
    .map(({ text, joinsPrevious }, index) => (index === 0 || joinsPrevious ? '' : ' ') + text)
    .join('')
    .replace(/\s+/g, ' ')
    .trim();
}

/**
 * The words on one line, or on two of about equal length that part where a reader breathes. Undefined when
 * they do not fit; one word alone always fits.
 */
export function breakLines(words: readonly CaptionWord[]): readonly string[] | undefined {
  const whole = joinWords(words);
  if (displayWidth(whole) <= LINE_COLUMNS_MAX) return [whole];
  let best: { lines: readonly string[]; cost: number } | undefined;
  for (let cut = 1; cut < words.length; cut++) {
    const lines = [joinWords(words.slice(0, cut)), joinWords(words.slice(cut))];
    const [first, second] = lines.map(displayWidth) as [number, number];
    if (first > LINE_COLUMNS_MAX || second > LINE_COLUMNS_MAX) continue;
    const cost = Math.abs(first - second) - 8 * breakQuality(words[cut - 1]!);
    if (best === undefined || cost < best.cost) best = { lines, cost };
  }
  if (best !== undefined) return best.lines;
  return words.length === 1 ? [whole] : undefined;
}

const SENTENCE_END = /[.!?…。！？।][”"'’)\]」』》]*$/u;
const CLAUSE_END = /[,;:—–，、；：][”"'’)\]」』》]*$/u;

/** How good a place for a break the end of a word is: 2 after a sentence, 1 after a clause, else 0. */
export function breakQuality({ text }: CaptionWord): 0 | 1 | 2 {
  if (SENTENCE_END.test(text)) return 2;
  return CLAUSE_END.test(text) ? 1 : 0;
}
