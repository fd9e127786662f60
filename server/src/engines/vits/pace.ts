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

/** Rounds the places where tokens end and not their lengths, so that the whole comes out right. */
export function stretchDurations(tokenFrames: Int32Array, stretch: number): Int32Array {
  let end = 0;
  let roundedEnd = 0;
  return tokenFrames.map((frames) => {
    end += frames;
    const stretched = Math.round(end * stretch) - roundedEnd;
    roundedEnd += stretched;
    return stretched;
  });
}
