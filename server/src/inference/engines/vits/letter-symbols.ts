import type { PhonemizedText } from '../../../domain/engines/phonemizer.ts';
import type { SpokenWord } from '../../../text/piece.ts';

/** The symbols of a voice trained on letters instead of phonemes: the text in Unicode NFD. */
export function letterSymbols(words: readonly SpokenWord[]): PhonemizedText {
  let symbols = '';
  const wordSpans = words.map((word) => {
    symbols += symbols === '' ? word.before : ` ${word.before}`;
    const start = symbols.length;
    symbols += word.text.normalize('NFD');
    const end = symbols.length;
    symbols += word.after;
    return { start, end };
  });
  return { symbols, wordSpans };
}
