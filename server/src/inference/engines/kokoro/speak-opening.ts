import type { PhonemizedText } from '../../../domain/engines/phonemizer.ts';
import type { SpeechPart, WordTime } from '../../../domain/engines/tts-engine.ts';
import type { KokoroTokens } from '../../phonemizer/tokens/kokoro-tokens.ts';
import { levelWindows, type UtteranceLeveller } from '../loudness/utterance-leveller.ts';
import type { DecoderInput, KokoroDecoder } from './decoders/decoder.ts';
import {
  decodeInWindows,
  type Overlap,
  planFollowingWindows,
  planWindows,
  type Window,
} from './decoders/windows.ts';
import type { FrontResult } from './front.ts';
import { predictLevels } from './leveller.ts';
import { FRAMES_PER_SECOND, SAMPLE_RATE_HZ } from './networks/features.ts';
import { continueOpening, framesOfTokens, OPENING_RATE, type Opening } from './opening.ts';
import { audibleRange, timeWords } from './utterance-plan.ts';

/** A neutral sentence that begins with an opening. */
export interface OpeningInput {
  readonly opening: Opening;
  readonly text: PhonemizedText;
  readonly tokens: KokoroTokens;
  readonly decoder: KokoroDecoder;
  readonly decoderInput: Omit<DecoderInput, 'features'>;
  /** Runs the front over tokens, at a rate relative to that of the utterance. */
  runFront(tokens: readonly number[], rate: number): Promise<FrontResult>;
  readonly needsPhonemeTimes: boolean | undefined;
  readonly leveller: UtteranceLeveller | undefined;
  readonly signal: AbortSignal;
}

const NO_SAMPLES = new Float32Array(0);

/**
 * Speaks a sentence whose opening is decoded before the front has read the complete sentence. The samples of the opening
 * do not depend on what follows it: pitch phase and noise continue from its features.
 */
export async function* speakWithOpening(input: OpeningInput): AsyncGenerator<SpeechPart> {
  const { opening, tokens, decoder, decoderInput, runFront, leveller, signal } = input;
  const decode = (features: FrontResult) => {
    const job = decoder.begin({ ...decoderInput, features });
    return (from: number, to: number) => {
      signal.throwIfAborted();
      return job.decode(from, to);
    };
  };
  const overlap: Overlap = { samples: undefined };
  const head = await runFront(tokens.ids.slice(0, opening.tokensRead), OPENING_RATE);
  const from = audibleRange(head.tokenFrames).from;
  const to = framesOfTokens(head, opening.tokens);
  let times: readonly WordTime[] = timesOf(input, head, opening.tokens);
  const timedWords = times.length;
  leveller?.predict(predictLevels(head, { from, to: audibleRange(head.tokenFrames).to }));
  const openingWindows = planWindows({ from, to }, true);
  const openingSamples = decodeInWindows(openingWindows, decode(head), { overlap, continues: true });
  for await (const samples of levelWindows(openingSamples, leveller)) {
    yield { samples, sampleRateHz: SAMPLE_RATE_HZ, ...(times.length > 0 && { wordTimes: times }) };
    times = [];
  }
  signal.throwIfAborted();
  const sentence = continueOpening(head, await runFront(tokens.ids, 1), opening);
  // An empty part lets the scheduler serve other utterances before the next window is decoded.
  yield { samples: NO_SAMPLES, sampleRateHz: SAMPLE_RATE_HZ };
  const rest: Window = { from: to, to: audibleRange(sentence.tokenFrames).to };
  times = timesOf(input, sentence, tokens.ids.length).slice(timedWords);
  leveller?.predict(predictLevels(sentence, { from, to: rest.to }));
  const restWindows = planFollowingWindows(rest);
  let windowsLeft = restWindows.length;
  for await (const samples of levelWindows(
    decodeInWindows(restWindows, decode(sentence), { overlap }),
    leveller,
  )) {
    windowsLeft--;
    yield {
      samples,
      sampleRateHz: SAMPLE_RATE_HZ,
      ...(times.length > 0 && { wordTimes: times }),
      ...(windowsLeft === 0 && { endsDecoding: true }),
    };
    times = [];
  }
}

/** Times of the words within the first `count` tokens. */
function timesOf(
  { text, tokens, needsPhonemeTimes }: OpeningInput,
  front: FrontResult,
  count: number,
): WordTime[] {
  const { tokenFrames } = front;
  return timeWords({
    text,
    tokens: { ids: tokens.ids.slice(0, count), symbolIndex: tokens.symbolIndex.slice(0, count) },
    tokenFrames,
    range: audibleRange(tokenFrames),
    framesPerSecond: FRAMES_PER_SECOND,
    wantsPhonemes: needsPhonemeTimes,
  });
}
