import type { Delivery } from '../acting/delivery.ts';
import type { TokenWords } from '../acting/token-words.ts';

/**
 * How a speed is spoken. Slower than the voice's own pace, every sound lasts longer. Faster, it is spoken at
 * its own pace and frames of the finished latent are passed over: with durations below a frame the model would
 * swallow sounds (at twice the speed more than half of the words, against a third).
 */
export interface Pace {
  /** How much longer sounds last; at least 1. */
  readonly stretch: number;
  /** How many frames of the latent make one that is heard; at least 1. */
  readonly step: number;
}

export function paceOf(speed: number): Pace {
  return { stretch: Math.max(1, 1 / speed), step: Math.max(1, speed) };
}

/** What the model speaks, and what is heard of it. */
export interface SpokenTime {
  /** Frames the model speaks for each token. */
  readonly tokenFrames: Int32Array;
  /** Frames that are heard of each token; not whole where frames are passed over. */
  readonly heardFrames: Float64Array;
  /** The frame of the speech that is heard in this frame. */
  readonly sourceOf: (heardFrame: number) => number;
}

/** Plans the time of an utterance in which all tokens have one pace. */
export function planTime(tokenFrames: Int32Array, speed: number): SpokenTime {
  const { stretch, step } = paceOf(speed);
  const spoken = stretchDurations(tokenFrames, stretch);
  return {
    tokenFrames: spoken,
    heardFrames: Float64Array.from(spoken, (frames) => frames / step),
    sourceOf: (frame) => Math.floor((frame + 0.5) * step),
  };
}

/** Plans the time of an utterance whose words have paces of their own. */
export function planActedTime(
  tokenFrames: Int32Array,
  speed: number,
  { deliveries, tokenWords }: { readonly deliveries: readonly Delivery[]; readonly tokenWords: TokenWords },
): SpokenTime {
  const { word, isGap } = tokenWords;
  const deliveryOf = (token: number) => deliveries[word[token]!]!;
  const paces = Array.from(tokenFrames, (_, token) => paceOf(speed * deliveryOf(token).rate));
  let end = 0;
  const ends = Array.from(tokenFrames, (frames, token) => {
    end += frames * paces[token]!.stretch * (isGap[token] ? deliveryOf(token).pauses : 1);
    return end;
  });
  const spoken = roundEnds(ends);
  const heardFrames = Float64Array.from(spoken, (frames, token) => frames / paces[token]!.step);
  let token = 0;
  let [heardStart, spokenStart] = [0, 0];
  // Frames are asked for in order, so the token under the last one is a good place to go on from.
  const sourceOf = (frame: number) => {
    const place = frame + 0.5;
    if (place < heardStart) [token, heardStart, spokenStart] = [0, 0, 0];
    while (token + 1 < spoken.length && place >= heardStart + heardFrames[token]!) {
      heardStart += heardFrames[token]!;
      spokenStart += spoken[token]!;
      token++;
    }
    return Math.floor(spokenStart + (place - heardStart) * paces[token]!.step);
  };
  return { tokenFrames: spoken, heardFrames, sourceOf };
}

/** Stretches all durations alike. */
export function stretchDurations(tokenFrames: Int32Array, stretch: number): Int32Array {
  let end = 0;
  const ends = Array.from(tokenFrames, (frames) => {
    end += frames;
    return end * stretch;
  });
  return roundEnds(ends);
}

/** Lengths from where tokens end. Rounds the places and not the lengths, so that the whole comes out right. */
function roundEnds(ends: readonly number[]): Int32Array {
  return Int32Array.from(ends, (end, token) => Math.round(end) - Math.round(ends[token - 1] ?? 0));
}
