import type { PhonemizedText, WordSpan } from '../../../domain/engines/phonemizer.ts';

/** Joins phonemized parts with spaces and shifts their word spans. */
export function joinPhonemizedTexts(parts: readonly PhonemizedText[]): PhonemizedText {
  let symbols = '';
  const wordSpans: WordSpan[] = [];
  for (const part of parts) {
    if (symbols !== '' && part.symbols !== '') symbols += ' ';
    for (const { start, end } of part.wordSpans) {
      wordSpans.push({ start: symbols.length + start, end: symbols.length + end });
    }
    symbols += part.symbols;
  }
  return { symbols, wordSpans };
}
