import type { WordTime } from '../engine.ts';
import type { WordSpan } from '../phonemes/phonemizer.ts';
import type { PiperTokens } from '../phonemes/piper-tokens.ts';

/**
 * When each word sounds, from the frames of its tokens; the pad behind a symbol counts with it. Words without
 * a sound are left out.
 */
export function timeWords(input: {
  readonly wordSpans: readonly WordSpan[];
  readonly tokens: PiperTokens;
  readonly tokenFrames: Int32Array;
  readonly secondsPerFrame: number;
}): WordTime[] {
  const { wordSpans, tokens, tokenFrames, secondsPerFrame } = input;
  const times: WordTime[] = [];
  let token = 0;
  let frame = 0;
  for (const [wordIndex, span] of wordSpans.entries()) {
    for (; token < tokens.ids.length && tokens.symbolIndex[token]! < span.start; token++) {
      frame += tokenFrames[token]!;
    }
    const start = frame;
    const firstToken = token;
    for (; token < tokens.ids.length && isWithin(tokens.symbolIndex[token]!, span); token++) {
      frame += tokenFrames[token]!;
    }
    if (token === firstToken) continue;
    times.push({ wordIndex, startSeconds: start * secondsPerFrame, endSeconds: frame * secondsPerFrame });
  }
  return times;
}

function isWithin(symbolIndex: number, span: WordSpan): boolean {
  return symbolIndex >= span.start && symbolIndex < span.end;
}
