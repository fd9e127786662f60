import { ASR_SAMPLE_RATE_HZ, type AsrResult } from '../../../domain/engines/asr-engine.ts';
import type { DecodedTokens } from './greedy-decoding.ts';
import { alignTokens } from './token-alignment.ts';
import { textOf, wordsOf } from './word-times.ts';
import { trimToAudibleSpan } from './word-trimming.ts';

/** Builds the result of an engine from decoded tokens. */
export function buildAsrResult(
  decoded: DecodedTokens,
  options: {
    readonly samples: Float32Array;
    /** The text of a token in UTF-8. */
    readonly bytesOf: (token: number) => Uint8Array;
    /** Number of encoder frames that cover the samples, and their duration. */
    readonly frames: number;
    readonly frameSeconds: number;
    /** Time by which the attention precedes the token; measured on synthesized speech. */
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
