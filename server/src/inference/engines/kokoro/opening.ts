import type { KokoroTokens } from '../../phonemizer/tokens/kokoro-tokens.ts';
import type { FrontResult } from './front.ts';
import { FEATURE_ROWS, FRAMES_PER_SECOND } from './networks/features.ts';

/**
 * The opening of a sentence: its first words, which are decoded from a front that has read them and some of the
 * following words, before the front has read the complete sentence.
 */
export interface Opening {
  /** Tokens of the opening; it ends before the space of the next word. */
  readonly tokens: number;
  /** Tokens that the front reads for it. */
  readonly tokensRead: number;
}

/** A shorter sentence is read completely before its first window: an opening saves too little. */
const SENTENCE_TOKENS_MIN = 70;
const OPENING_TOKENS_MIN = 12;
const OPENING_TOKENS_MAX = 30;
/** Fewer make the end of the opening sound like the end of a sentence. */
const LOOKAHEAD_TOKENS = 18;
/** Speaking rate of the front for an opening: it reads a few words more slowly than the same words of a long sentence. */
export const OPENING_RATE = 1.16;
/** The pitch moves from the contour of the opening to that of the sentence in this time. */
const PITCH_TRANSITION_FRAMES = 0.4 * FRAMES_PER_SECOND;
const VOICED_ABOVE_HZ = 40;
const PUNCTUATION = /[,;:.!?…—]/;

/** Chooses the opening of a sentence: up to its first punctuation, else as many words as possible. */
export function chooseOpening(symbols: string, tokens: KokoroTokens): Opening | undefined {
  const { symbolIndex } = tokens;
  if (symbolIndex.length < SENTENCE_TOKENS_MIN) return undefined;
  const symbolAt = (token: number) => symbols[symbolIndex[token]!]!;
  const spaces = [...symbolIndex.keys()].filter((token) => symbolAt(token) === ' ');
  const ends = spaces.filter((token) => token >= OPENING_TOKENS_MIN && token <= OPENING_TOKENS_MAX);
  const end = ends.find((token) => PUNCTUATION.test(symbolAt(token - 1))) ?? ends.at(-1);
  if (end === undefined) return undefined;
  const tokensRead = spaces.find((token) => token >= end + LOOKAHEAD_TOKENS);
  return tokensRead === undefined ? undefined : { tokens: end, tokensRead };
}

/** Frames of the leading pad and of the first `tokens` tokens. */
export function framesOfTokens({ tokenFrames }: FrontResult, tokens: number): number {
  return tokenFrames.subarray(0, tokens + 1).reduce((sum, frames) => sum + frames, 0);
}

/**
 * The features of the opening, continued with those of the complete sentence. After the opening, the pitch starts where
 * the opening would have continued.
 */
export function continueOpening(
  opening: FrontResult,
  sentence: FrontResult,
  { tokens, tokensRead }: Opening,
): FrontResult {
  const to = framesOfTokens(opening, tokens);
  const from = framesOfTokens(sentence, tokens);
  const frames = to + sentence.frames - from;
  // The text features of the leading pad and the tokens of the opening, then those of the sentence.
  const rows = tokens + 1;
  const frameTokens = new Int32Array(frames);
  frameTokens.set(opening.frameTokens.subarray(0, to));
  frameTokens.set(
    sentence.frameTokens.subarray(from).map((token) => token + rows),
    to,
  );
  const semitones = pitchDifference(
    opening.f0.subarray(2 * to, 2 * framesOfTokens(opening, tokensRead)),
    sentence.f0.subarray(2 * from, 2 * framesOfTokens(sentence, tokensRead)),
  );
  const f0 = sentence.f0.subarray(2 * from).map((hz, half) => {
    const share = Math.max(0, 1 - half / (2 * PITCH_TRANSITION_FRAMES));
    return hz * 2 ** ((semitones * share) / 12);
  });
  return {
    frames,
    text: concatenate(opening.text.subarray(0, rows * FEATURE_ROWS), sentence.text),
    frameTokens,
    f0: concatenate(opening.f0.subarray(0, 2 * to), f0),
    energy: concatenate(opening.energy.subarray(0, 2 * to), sentence.energy.subarray(2 * from)),
    tokenFrames: Int32Array.of(
      ...opening.tokenFrames.subarray(0, tokens + 1),
      ...sentence.tokenFrames.subarray(tokens + 1),
    ),
  };
}

/** Median pitch of the first contour above that of the second at their starts, in semitones. */
function pitchDifference(first: Float32Array, second: Float32Array): number {
  const [one, two] = [first, second].map((contour) => startingPitchHz(contour));
  return one === undefined || two === undefined ? 0 : 12 * Math.log2(one / two);
}

function startingPitchHz(contour: Float32Array): number | undefined {
  const voiced = contour
    .subarray(0, 2 * PITCH_TRANSITION_FRAMES)
    .filter((hz) => hz > VOICED_ABOVE_HZ)
    .sort();
  return voiced[Math.floor(voiced.length / 2)];
}

function concatenate(first: Float32Array, second: Float32Array): Float32Array {
  const all = new Float32Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}
