import type { PhonemizedText } from '../../../domain/engines/phonemizer.ts';

/** A text and its tokens, without what was said before it. */
export interface OwnTokens {
  readonly text: PhonemizedText;
  /** The token it begins with: the space before its first word, where there is one. */
  readonly firstToken: number;
}

/** Parts a text from the words in front of it that were only given for their sake. */
export function ownTokens(
  whole: PhonemizedText,
  symbolIndex: readonly number[],
  wordsBefore: number,
): OwnTokens {
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
