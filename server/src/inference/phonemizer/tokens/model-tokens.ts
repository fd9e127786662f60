import type { PhonemizedText } from '../../../domain/engines/phonemizer.ts';

/** A text and its first token, without the preceding context words. */
export interface UtteranceTokens {
  readonly text: PhonemizedText;
  /** Index of the first token: the space before the first word, where present. */
  readonly firstToken: number;
}

/** Removes the words before the text, which were only phonemized as context. */
export function dropPrecedingWords(
  whole: PhonemizedText,
  symbolIndex: readonly number[],
  wordsBefore: number,
): UtteranceTokens {
  if (wordsBefore === 0) return { text: whole, firstToken: 0 };
  const { symbols, wordSpans } = whole;
  const start = wordSpans[wordsBefore]?.start ?? symbols.length;
  const from = symbols[start - 1] === ' ' ? start - 1 : start;
  const token = symbolIndex.findIndex((symbol) => symbol >= from);
  return {
    text: { symbols, wordSpans: wordSpans.slice(wordsBefore) },
    firstToken: token < 0 ? symbolIndex.length : token,
  };
}
