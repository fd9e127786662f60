import type { KokoroTokens } from '../phonemes/kokoro-tokens.ts';
import type { PhonemizedText } from '../phonemes/phonemizer.ts';

/** Which word each token of an utterance belongs to. */
export interface TokenWords {
  /** For each token, the pads at both ends included: its word, or the one before where it lies between words. */
  readonly word: Int32Array;
  /** Whether it lies between words: a space, a comma, a pad. */
  readonly isGap: readonly boolean[];
}

/** Finds the words of the tokens as the front counts them, with a pad at both ends. */
export function wordsOfTokens(text: PhonemizedText, tokens: KokoroTokens): TokenWords {
  const count = tokens.ids.length + 2;
  const word = new Int32Array(count);
  const isGap = new Array<boolean>(count).fill(true);
  const { wordSpans } = text;
  let at = 0;
  for (const [token, symbol] of tokens.symbolIndex.entries()) {
    while (at + 1 < wordSpans.length && symbol >= wordSpans[at + 1]!.start) at++;
    word[token + 1] = at;
    const span = wordSpans[at];
    isGap[token + 1] = span === undefined || symbol < span.start || symbol >= span.end;
  }
  word[count - 1] = Math.max(0, wordSpans.length - 1);
  return { word, isGap };
}

/** The frame in the middle of what lies between a word and the one before it. */
export function frameBefore(wordIndex: number, tokenWords: TokenWords, tokenFrames: Int32Array): number {
  let frame = 0;
  let gapStart = 0;
  for (const [token, frames] of tokenFrames.entries()) {
    if (!tokenWords.isGap[token]) {
      if (tokenWords.word[token]! >= wordIndex) break;
      gapStart = frame + frames;
    }
    frame += frames;
  }
  return Math.ceil((gapStart + frame) / 2);
}
