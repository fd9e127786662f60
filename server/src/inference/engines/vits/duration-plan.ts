import type { Delivery } from '../../../domain/engines/delivery.ts';
import { pauseFactor, type TokenWords } from '../acting/token-words.ts';

/** At higher speeds the model drops phonemes; faster speech is produced by time compression. */
const SPEED_MAX = 1.1;
/** Above this rate the synthesis slows down again: strongly compressed speech must be articulated more clearly. */
const SLOWDOWN_FROM = 1.25;
/** Lower limit of that slowdown; slower synthesis does not improve clarity. */
const SLOWDOWN_SPEED = 0.85;
/**
 * Compressed durations are proportional to this power of the synthesized ones. Fast speakers shorten vowels and
 * pauses more than short consonants; uniform compression makes words unintelligible.
 */
const LENGTH_POWER = 0.5;

/** Token durations before and after time compression. */
export interface DurationPlan {
  /** Frames that the model synthesizes for each token. */
  readonly tokenFrames: Int32Array;
  /** Frames of each token in the output; fractional where the audio is compressed. */
  readonly outputFrames: Float64Array;
  /** Whether any token is compressed. */
  readonly isCompressed: boolean;
  /** Maps an output position to a position in the synthesized speech, both in frames. */
  readonly sourceOf: (position: number) => number;
}

/** Plans the durations of an utterance. With deliveries, each word has its own rate on top of the speed. */
export function planDurations(
  tokenFrames: Int32Array,
  speed: number,
  acting?: { readonly deliveries: readonly Delivery[]; readonly tokenWords: TokenWords },
): DurationPlan {
  let end = 0;
  const compressions = new Float64Array(tokenFrames.length);
  const ends = Array.from(tokenFrames, (frames, token) => {
    const { rate, pauses } = acting ? deliveredRate(acting, token) : { rate: 1, pauses: 1 };
    const wanted = speed * rate;
    const synthesized = synthesisRate(wanted);
    compressions[token] = wanted / synthesized;
    end += (frames * pauses) / synthesized;
    return end;
  });
  const synthesized = roundEnds(ends);
  const outputFrames = distributeCompression(synthesized, compressions);
  const isCompressed = compressions.some((compression) => compression > 1);
  return {
    tokenFrames: synthesized,
    outputFrames,
    isCompressed,
    sourceOf: createSourceMap(synthesized, outputFrames),
  };
}

/** The rate at which the model synthesizes speech for a wanted output rate. */
function synthesisRate(wanted: number): number {
  if (wanted <= SLOWDOWN_FROM) return Math.min(SPEED_MAX, wanted);
  return Math.max(SLOWDOWN_SPEED, SPEED_MAX - (wanted - SLOWDOWN_FROM));
}

function deliveredRate(
  { deliveries, tokenWords }: { readonly deliveries: readonly Delivery[]; readonly tokenWords: TokenWords },
  token: number,
): { rate: number; pauses: number } {
  const { rate, pauses } = deliveries[tokenWords.word[token]!]!;
  return { rate, pauses: pauseFactor(tokenWords, token, pauses) };
}

/** Output frames of each token. In total, compressed tokens take their frames divided by their compression. */
function distributeCompression(synthesized: Int32Array, compressions: Float64Array): Float64Array {
  const output = Float64Array.from(synthesized, (frames, token) => frames / compressions[token]!);
  let shortened = [...output.keys()].filter((token) => compressions[token]! > 1);
  let frames = shortened.reduce((sum, token) => sum + output[token]!, 0);
  const weightOf = (token: number) => synthesized[token]! ** LENGTH_POWER / compressions[token]!;
  while (shortened.length > 0) {
    const perWeight = frames / shortened.reduce((sum, token) => sum + weightOf(token), 0);
    for (const token of shortened) output[token] = Math.min(synthesized[token]!, perWeight * weightOf(token));
    // A token that would be lengthened keeps its frames; the others share the rest.
    const stillShortened = shortened.filter((token) => output[token]! < synthesized[token]!);
    if (stillShortened.length === shortened.length) break;
    frames -= shortened.reduce(
      (sum, token) => sum + (output[token]! < synthesized[token]! ? 0 : synthesized[token]!),
      0,
    );
    shortened = stillShortened;
  }
  return output;
}

/** Maps output positions to positions in the synthesized speech. */
function createSourceMap(synthesized: Int32Array, outputFrames: Float64Array): (position: number) => number {
  let token = 0;
  let [outputStart, synthesizedStart] = [0, 0];
  // Positions mostly ascend, so the search continues from the last token.
  return (position) => {
    if (position < outputStart) [token, outputStart, synthesizedStart] = [0, 0, 0];
    while (token + 1 < synthesized.length && position >= outputStart + outputFrames[token]!) {
      outputStart += outputFrames[token]!;
      synthesizedStart += synthesized[token]!;
      token++;
    }
    const rate = outputFrames[token]! > 0 ? synthesized[token]! / outputFrames[token]! : 1;
    return synthesizedStart + (position - outputStart) * rate;
  };
}

/** Durations from end positions. Rounds positions, not durations; every token gets at least one frame. */
function roundEnds(ends: readonly number[]): Int32Array {
  let roundedEnd = 0;
  return Int32Array.from(ends, (end) => {
    const frames = Math.max(1, Math.round(end) - roundedEnd);
    roundedEnd += frames;
    return frames;
  });
}
