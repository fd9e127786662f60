import type { WordSpan } from '../../../domain/engines/phonemizer.ts';
import type { PhonemeTime, WordTime } from '../../../domain/engines/tts-engine.ts';
import type { PiperTokens } from '../../phonemizer/tokens/piper-tokens.ts';

/** Extension of a word into the space before it and into the punctuation after it. */
const ATTACK_SECONDS = 0.02;
const RELEASE_SECONDS = 0.1;

/** Word times from the frames of the tokens; the pad after a symbol belongs to it. Words without tokens are omitted. */
export function timeWords(input: {
  readonly symbols: string;
  readonly wordSpans: readonly WordSpan[];
  readonly tokens: PiperTokens;
  readonly tokenFrames: ArrayLike<number>;
  readonly secondsPerFrame: number;
  readonly wantsPhonemes?: boolean | undefined;
}): WordTime[] {
  const { symbols, wordSpans, tokens, tokenFrames, secondsPerFrame } = input;
  const isSpace = (index: number) => symbols[tokens.symbolIndex[index]!] === ' ';
  const times: WordTime[] = [];
  let token = 0;
  let frame = 0;
  for (const [wordIndex, span] of wordSpans.entries()) {
    let spaceFrames = 0;
    for (; token < tokens.ids.length && tokens.symbolIndex[token]! < span.start; token++) {
      frame += tokenFrames[token]!;
      spaceFrames = isSpace(token) ? spaceFrames + tokenFrames[token]! : 0;
    }
    const attackFrames = Math.min(spaceFrames, ATTACK_SECONDS / secondsPerFrame);
    const start = frame - attackFrames;
    const phonemes: PhonemeTime[] = [];
    const firstToken = token;
    for (; token < tokens.ids.length && isWithin(tokens.symbolIndex[token]!, span); token++) {
      const symbol = String.fromCodePoint(symbols.codePointAt(tokens.symbolIndex[token]!)!);
      const startSeconds = frame * secondsPerFrame;
      frame += tokenFrames[token]!;
      phonemes.push({ symbol, startSeconds, endSeconds: frame * secondsPerFrame });
    }
    if (token === firstToken) continue;
    times.push({
      wordIndex,
      startSeconds: start * secondsPerFrame,
      endSeconds: frame * secondsPerFrame,
      ...(input.wantsPhonemes && { phonemes }),
    });
  }
  for (; token < tokens.ids.length; token++) frame += tokenFrames[token]!;
  return times.map((time, index) => ({
    ...time,
    endSeconds: Math.min(
      time.endSeconds + RELEASE_SECONDS,
      times[index + 1]?.startSeconds ?? frame * secondsPerFrame,
    ),
  }));
}

function isWithin(symbolIndex: number, span: WordSpan): boolean {
  return symbolIndex >= span.start && symbolIndex < span.end;
}
