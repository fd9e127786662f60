import type { Delivery } from '../../../domain/engines/delivery.ts';
import type { PhonemizedText } from '../../../domain/engines/phonemizer.ts';
import type { DeliverySpan } from './tracks.ts';

/** Which word each token of an utterance belongs to. */
export interface TokenWords {
  /** The token's word, or the one before where it lies between words. */
  readonly word: Int32Array;
  /** Whether it lies between words: a space, a comma, a pad at the ends. */
  readonly isGap: readonly boolean[];
  /** Whether it is the bare space between two words, which run into each other there without a silence. */
  readonly isSpace: readonly boolean[];
}

/** Finds the words of tokens from where their symbols stand; -1 is a token that stands for no symbol. */
export function wordsOfTokens(
  { symbols, wordSpans }: PhonemizedText,
  symbolIndex: readonly number[],
): TokenWords {
  const word = new Int32Array(symbolIndex.length);
  const isGap: boolean[] = [];
  const isSpace: boolean[] = [];
  let at = 0;
  for (const [token, symbol] of symbolIndex.entries()) {
    while (at + 1 < wordSpans.length && symbol >= wordSpans[at + 1]!.start) at++;
    word[token] = at;
    const span = wordSpans[at];
    isGap.push(span === undefined || symbol < span.start || symbol >= span.end);
    isSpace.push(symbol === span?.end && symbols[symbol] === ' ');
  }
  return { word, isGap, isSpace };
}

/** How much longer a token lasts where pauses are so much longer. A bare space has sound, and is not shortened. */
export function pauseFactor({ isGap, isSpace }: TokenWords, token: number, pauses: number): number {
  if (!isGap[token]) return 1;
  return isSpace[token] ? Math.max(1, pauses) : pauses;
}

/** The frame in the middle of what lies between a word and the one before it. */
export function frameBefore(
  wordIndex: number,
  tokenWords: TokenWords,
  tokenFrames: Int32Array | Float64Array,
): number {
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

/** Gives tokens the length their words are to have. Ends are rounded, not lengths; none gets less than a frame. */
export function actTokenFrames(
  tokenFrames: Int32Array,
  deliveries: readonly Delivery[],
  tokenWords: TokenWords,
): Int32Array {
  let end = 0;
  let roundedEnd = 0;
  return tokenFrames.map((frames, token) => {
    const { rate, pauses } = deliveries[tokenWords.word[token]!]!;
    end += (frames * pauseFactor(tokenWords, token, pauses)) / rate;
    const acted = Math.max(1, Math.round(end) - roundedEnd);
    roundedEnd += acted;
    return acted;
  });
}

/** The delivery of every token, for as many steps of a clock as it lasts. */
export function deliverySpans(
  tokenFrames: Int32Array | Float64Array,
  deliveries: readonly Delivery[],
  { tokenWords, stepsPerFrame }: { readonly tokenWords: TokenWords; readonly stepsPerFrame: number },
): DeliverySpan[] {
  let end = 0;
  let roundedEnd = 0;
  return Array.from(tokenFrames, (frames, token) => {
    end += frames * stepsPerFrame;
    const steps = Math.round(end) - roundedEnd;
    roundedEnd += steps;
    return { delivery: deliveries[tokenWords.word[token]!]!, steps };
  });
}
