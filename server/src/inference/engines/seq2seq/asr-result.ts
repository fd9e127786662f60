import { ASR_SAMPLE_RATE_HZ, type AsrResult } from '../../../domain/engines/asr-engine.ts';
import type { DecodedTokens } from './greedy-decoding.ts';
import { alignTokens } from './token-alignment.ts';
import { textOf, wordsOf } from './word-times.ts';
import { trimToAudibleSpan } from './word-trimming.ts';

/** Puts together what was heard from the tokens a decoder said. */
export function buildAsrResult(
  decoded: DecodedTokens,
  options: {
    readonly samples: Float32Array;
    /** The text of a token, in UTF-8. */
    readonly bytesOf: (token: number) => Uint8Array;
    /** How many of the encoder's frames lie over the samples, and how long one is. */
    readonly frames: number;
    readonly frameSeconds: number;
    /** How much earlier than a token is said the model looks at it; found by listening to our own voices. */
    readonly leadSeconds: number;
    readonly language: string;
    readonly languageProbability?: number;
    readonly noSpeech?: number;
  },
): AsrResult {
  const { samples, frames, frameSeconds, leadSeconds, language, languageProbability = 1 } = options;
  const endSeconds = samples.length / ASR_SAMPLE_RATE_HZ;
  const starts = alignTokens(decoded.attention, frames).map((frame, index) =>
    index === 0 ? 0 : Math.min(endSeconds, frame * frameSeconds + leadSeconds),
  );
  const tokens = decoded.tokens.map((token, index) => ({
    bytes: options.bytesOf(token),
    logProbability: decoded.logProbabilities[index]!,
    startSeconds: starts[index] ?? 0,
  }));
  const text = textOf(tokens).trim();
  const logSum = decoded.logProbabilities.reduce((sum, value) => sum + value, decoded.endLogProbability);
  const hasTimes = decoded.attention.length > 0;
  return {
    text,
    words: hasTimes ? trimToAudibleSpan(wordsOf(tokens, starts[tokens.length] ?? endSeconds), samples) : [],
    language,
    languageProbability,
    confidence: text === '' ? 0 : Math.exp(logSum / (tokens.length + 1)),
    noSpeech: options.noSpeech,
    isTruncated: decoded.isCut,
  };
}
