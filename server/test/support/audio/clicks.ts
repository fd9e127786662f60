/** A jump this many times as large as any other near it is a click. */
const RATIO = 3;
/** Nearer than this it is the click's own ringing; further away than that, something else. */
const NEAR_SECONDS = { from: 0.001, to: 0.015 } as const;
/** Jumps below are too faint to be heard beside speech at its usual level. */
const FAINT = 0.03;

/**
 * Where speech clicks, in seconds: where its slope jumps much further than anywhere around. Voices are full of
 * such jumps, one a period, so that none of those stands alone.
 */
export function findClicks(samples: Float32Array, sampleRateHz: number): number[] {
  const jumps = samples.map((sample, at) =>
    at < 2 ? 0 : Math.abs(sample - 2 * samples[at - 1]! + samples[at - 2]!),
  );
  const [from, to] = [NEAR_SECONDS.from, NEAR_SECONDS.to].map((seconds) =>
    Math.round(seconds * sampleRateHz),
  ) as [number, number];
  const isAlone = (at: number) => {
    for (let distance = from + 1; distance <= to; distance++) {
      const near = Math.max(jumps[at - distance] ?? 0, jumps[at + distance] ?? 0);
      if (jumps[at]! < RATIO * near) return false;
    }
    return true;
  };
  const clicks: number[] = [];
  for (const [at, jump] of jumps.entries()) {
    const isNew = at / sampleRateHz - (clicks.at(-1) ?? Number.NEGATIVE_INFINITY) > 0.002;
    if (jump >= FAINT && isNew && isAlone(at)) clicks.push(at / sampleRateHz);
  }
  return clicks;
}
