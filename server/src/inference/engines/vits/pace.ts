import type { Delivery } from '../../../domain/engines/delivery.ts';
import { pauseFactor, type TokenWords } from '../acting/token-words.ts';

/** Told to speak any faster, the model swallows sounds; the rest is made of the finished speech. */
const SPEED_MAX = 1.1;
/** The less of each sound is left over, the more distinctly it must be spoken: from this pace on slower again, */
const DISTINCT_FROM = 1.25;
/** down to this one, beyond which it only drags. */
const DISTINCT_SPEED = 0.85;
/**
 * A sound that is twice as long is heard this power of two as long where speech is made faster: people who hurry
 * take the time from vowels and pauses, and without their short sounds whole words go missing.
 */
const LENGTH_POWER = 0.5;

/** What the model speaks, and what is heard of it. */
export interface SpokenTime {
  /** Frames the model speaks for each token. */
  readonly tokenFrames: Int32Array;
  /** Frames that are heard of each token; not whole where the finished speech is made faster. */
  readonly heardFrames: Float64Array;
  /** Whether less is heard than is spoken. */
  readonly isCompressed: boolean;
  /** The place in the speech that is heard at this place, both in frames. */
  readonly sourceOf: (heard: number) => number;
}

/** Plans the time of an utterance. Acted, its words have paces of their own on top of its speed. */
export function planTime(
  tokenFrames: Int32Array,
  speed: number,
  acting?: { readonly deliveries: readonly Delivery[]; readonly tokenWords: TokenWords },
): SpokenTime {
  let end = 0;
  const compressions = new Float64Array(tokenFrames.length);
  const ends = Array.from(tokenFrames, (frames, token) => {
    const { rate, pauses } = acting ? actedPace(acting, token) : { rate: 1, pauses: 1 };
    const wanted = speed * rate;
    const spoken = spokenPace(wanted);
    compressions[token] = wanted / spoken;
    end += (frames * pauses) / spoken;
    return end;
  });
  const spoken = roundEnds(ends);
  const heardFrames = shareTime(spoken, compressions);
  const isCompressed = compressions.some((compression) => compression > 1);
  return { tokenFrames: spoken, heardFrames, isCompressed, sourceOf: createSource(spoken, heardFrames) };
}

/** The pace at which the model speaks what shall be heard at this one. */
function spokenPace(wanted: number): number {
  if (wanted <= DISTINCT_FROM) return Math.min(SPEED_MAX, wanted);
  return Math.max(DISTINCT_SPEED, SPEED_MAX - (wanted - DISTINCT_FROM));
}

function actedPace(
  { deliveries, tokenWords }: { readonly deliveries: readonly Delivery[]; readonly tokenWords: TokenWords },
  token: number,
): { rate: number; pauses: number } {
  const { rate, pauses } = deliveries[tokenWords.word[token]!]!;
  return { rate, pauses: pauseFactor(tokenWords, token, pauses) };
}

/** What is heard of each token; together those that are compressed take their time divided by their compressions. */
function shareTime(spoken: Int32Array, compressions: Float64Array): Float64Array {
  const heard = Float64Array.from(spoken, (frames, token) => frames / compressions[token]!);
  let shortened = [...heard.keys()].filter((token) => compressions[token]! > 1);
  let frames = shortened.reduce((sum, token) => sum + heard[token]!, 0);
  const weightOf = (token: number) => spoken[token]! ** LENGTH_POWER / compressions[token]!;
  while (shortened.length > 0) {
    const perWeight = frames / shortened.reduce((sum, token) => sum + weightOf(token), 0);
    for (const token of shortened) heard[token] = Math.min(spoken[token]!, perWeight * weightOf(token));
    // A sound that would be stretched stays as it was spoken, and the others share what is left.
    const stillShortened = shortened.filter((token) => heard[token]! < spoken[token]!);
    if (stillShortened.length === shortened.length) break;
    frames -= shortened.reduce(
      (sum, token) => sum + (heard[token]! < spoken[token]! ? 0 : spoken[token]!),
      0,
    );
    shortened = stillShortened;
  }
  return heard;
}

/** Finds the place in the speech for a place in what is heard. */
function createSource(spoken: Int32Array, heardFrames: Float64Array): (heard: number) => number {
  let token = 0;
  let [heardStart, spokenStart] = [0, 0];
  // Places are asked for in order, so the token under the last one is a good place to go on from.
  return (heard) => {
    if (heard < heardStart) [token, heardStart, spokenStart] = [0, 0, 0];
    while (token + 1 < spoken.length && heard >= heardStart + heardFrames[token]!) {
      heardStart += heardFrames[token]!;
      spokenStart += spoken[token]!;
      token++;
    }
    const pace = heardFrames[token]! > 0 ? spoken[token]! / heardFrames[token]! : 1;
    return spokenStart + (heard - heardStart) * pace;
  };
}

/** Lengths from where tokens end. Rounds the places and not the lengths; no sound gets less than a frame. */
function roundEnds(ends: readonly number[]): Int32Array {
  let roundedEnd = 0;
  return Int32Array.from(ends, (end) => {
    const frames = Math.max(1, Math.round(end) - roundedEnd);
    roundedEnd += frames;
    return frames;
  });
}
