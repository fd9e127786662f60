import type { CaptionWord } from './caption.ts';
import { displayWidth } from './display-width.ts';

/** Maximum width of a line, in columns. */
export const LINE_COLUMNS_MAX = 42;

/** Joins words to one line of text. */
export function joinWords(words: readonly CaptionWord[]): string {
  return words
    .map(({ text, joinsPrevious }, index) => (index === 0 || joinsPrevious ? '' : ' ') + text)
    .join('')
    .replace(/\s+/g, ' ')
    .trim();
}

/**
 * Lays words out on one line, or on two of similar length, preferably broken at a clause or sentence end. Undefined
 * if they do not fit; a single word always fits.
 */
export function breakLines(words: readonly CaptionWord[]): readonly string[] | undefined {
  const line = joinWords(words);
  if (displayWidth(line) <= LINE_COLUMNS_MAX) return [line];
  let best: { lines: readonly string[]; cost: number } | undefined;
  for (let cut = 1; cut < words.length; cut++) {
    const lines = [joinWords(words.slice(0, cut)), joinWords(words.slice(cut))];
    const [first, second] = lines.map(displayWidth) as [number, number];
    if (first > LINE_COLUMNS_MAX || second > LINE_COLUMNS_MAX) continue;
    const cost = Math.abs(first - second) - 8 * breakQuality(words[cut - 1]!);
    if (best === undefined || cost < best.cost) best = { lines, cost };
  }
  if (best !== undefined) return best.lines;
  return words.length === 1 ? [line] : undefined;
}

const SENTENCE_END = /[.!?…。！？।][”"'’)\]」』》]*$/u;
const CLAUSE_END = /[,;:—–，、；：][”"'’)\]」』》]*$/u;

/** Quality of a line break after a word: 2 at a sentence end, 1 at a clause end, else 0. */
export function breakQuality({ text }: CaptionWord): 0 | 1 | 2 {
  if (SENTENCE_END.test(text)) return 2;
  return CLAUSE_END.test(text) ? 1 : 0;
}
