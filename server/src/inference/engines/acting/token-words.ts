import type { Delivery } from '../../../domain/engines/delivery.ts';
import type { PhonemizedText } from '../../../domain/engines/phonemizer.ts';
import type { DeliverySpan } from './delivery-tracks.ts';

/** Mapping from the tokens of an utterance to its words. */
export interface TokenWords {
  /** Word index of each token; a token between words belongs to the preceding word. */
  readonly word: Int32Array;
  /** Whether the token lies between words: a space, punctuation, a pad at the ends. */
  readonly isGap: readonly boolean[];
  /** Whether the token is a bare space, where two words follow each other without silence. */
  readonly isSpace: readonly boolean[];
}

/** Maps tokens to words by their symbol index; -1 marks a token without a symbol. */
export function mapTokensToWords(
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

/** Duration factor of a token for a pause factor. A bare space carries speech and is not shortened. */
export function pauseFactor({ isGap, isSpace }: TokenWords, token: number, pauses: number): number {
  if (!isGap[token]) return 1;
  return isSpace[token] ? Math.max(1, pauses) : pauses;
}

/** The frames of the gap before a word: spaces and punctuation. */
export function gapBeforeWord(
  wordIndex: number,
  tokenWords: TokenWords,
  tokenFrames: Int32Array | Float64Array,
): { readonly from: number; readonly to: number } {
  let frame = 0;
  let from = 0;
  for (const [token, frames] of tokenFrames.entries()) {
    if (!tokenWords.isGap[token]) {
      if (tokenWords.word[token]! >= wordIndex) break;
      from = frame + frames;
    }
    frame += frames;
  }
  return { from, to: frame };
}

/** The frame at the centre of the gap before a word. */
export function frameBeforeWord(
  wordIndex: number,
  tokenWords: TokenWords,
  tokenFrames: Int32Array | Float64Array,
): number {
  const { from, to } = gapBeforeWord(wordIndex, tokenWords, tokenFrames);
  return Math.ceil((from + to) / 2);
}

/** Scales token durations by the rates of their words. Rounds end positions, not durations; minimum one frame. */
export function scaleTokenFrames(
  tokenFrames: Int32Array,
  deliveries: readonly Delivery[],
  tokenWords: TokenWords,
): Int32Array {
  let end = 0;
  let roundedEnd = 0;
  return tokenFrames.map((frames, token) => {
    const { rate, pauses } = deliveries[tokenWords.word[token]!]!;
    end += (frames * pauseFactor(tokenWords, token, pauses)) / rate;
    const scaled = Math.max(1, Math.round(end) - roundedEnd);
    roundedEnd += scaled;
    return scaled;
  });
}

/** The delivery of every token with its duration in clock steps. */
export function createDeliverySpans(
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
