const RATE_HZ = 8000;
const FRAME = 320;
const HOP = 80;
const SHORTEST_LAG = 20;
const LONGEST_LAG = 134;
/** Low, since noise and a lively melody make a voice less like itself, and without those frames it seems higher. */
const VOICED_LIKENESS = 0.4;
/** Frames this much weaker than the loudest say little about a voice. */
const QUIET_SHARE = 1e-2;
/** A later peak this close to the best one is a multiple of the period. */
const NEAR_BEST = 0.9;
/** What a voice without pitch, such as a whisper, is taken for: between men and women, of common range. */
const UNKNOWN = { log2Hz: 7.2, rangeOctaves: 0.2 };

/** Median of log2 of the pitch in Hz, and half the distance between its 16th and 84th percentile. */
export interface PitchStatistics {
  readonly log2Hz: number;
  readonly rangeOctaves: number;
}

/** Pitch of speech at 8 kHz, from 60 to 400 Hz, by the likeness of the wave to itself one period later. */
export function pitchStatistics(samples: Float32Array): PitchStatistics {
  const frames = framePitches(samples);
  const loudest = frames.reduce((max, { energy }) => Math.max(max, energy), 0);
  const pitches = frames.filter(({ energy }) => energy > QUIET_SHARE * loudest).map(({ log2Hz }) => log2Hz);
  if (pitches.length === 0) return UNKNOWN;
  const sorted = Float64Array.from(pitches).sort();
  return {
    log2Hz: quantile(sorted, 0.5),
    rangeOctaves: (quantile(sorted, 0.84) - quantile(sorted, 0.16)) / 2,
  };
}

/** Frames that have a pitch, with their energy. */
function framePitches(samples: Float32Array): { log2Hz: number; energy: number }[] {
  const found: { log2Hz: number; energy: number }[] = [];
  const likeness = new Float64Array(LONGEST_LAG + 1);
  for (let start = 0; start + FRAME + LONGEST_LAG <= samples.length; start += HOP) {
    const energy = fillLikeness(samples, start, likeness);
    const lag = firstPeriod(likeness);
    if (lag !== undefined) found.push({ log2Hz: Math.log2(RATE_HZ / lag), energy });
  }
  return found;
}

/** For each lag the normalised product of the frame with itself that much later. Returns the frame's energy. */
function fillLikeness(samples: Float32Array, start: number, likeness: Float64Array): number {
  let lagged = 0;
  for (let index = start; index < start + FRAME; index++) lagged += samples[index]! ** 2;
  const energy = lagged;
  for (let lag = 0; lag <= LONGEST_LAG; lag++) {
    if (lag > 0) {
      lagged += samples[start + FRAME + lag - 1]! ** 2 - samples[start + lag - 1]! ** 2;
    }
    if (lag < SHORTEST_LAG - 1) continue;
    let product = 0;
    for (let index = start; index < start + FRAME; index++)
      product += samples[index]! * samples[index + lag]!;
    likeness[lag] = product / Math.sqrt(Math.max(energy * lagged, 1e-12));
  }
  return energy;
}

/** The shortest period, with a fraction, that is nearly as good as the best; undefined without voice. */
function firstPeriod(likeness: Float64Array): number | undefined {
  // Only peaks count: below the shortest period all smooth waves are like themselves.
  const isPeak = (lag: number) =>
    likeness[lag]! >= likeness[lag - 1]! && likeness[lag]! >= likeness[lag + 1]!;
  let best = 0;
  for (let lag = SHORTEST_LAG; lag < LONGEST_LAG; lag++) {
    if (isPeak(lag)) best = Math.max(best, likeness[lag]!);
  }
  if (best <= VOICED_LIKENESS) return undefined;
  let lag = SHORTEST_LAG;
  while (!isPeak(lag) || likeness[lag]! <= NEAR_BEST * best) lag++;
  const [left, centre, right] = [likeness[lag - 1]!, likeness[lag]!, likeness[lag + 1]!];
  const shift = (0.5 * (left - right)) / Math.min(left - 2 * centre + right, -1e-6);
  return lag + Math.min(0.5, Math.max(-0.5, shift));
}

function quantile(sorted: Float64Array, share: number): number {
  const at = share * (sorted.length - 1);
  const below = sorted[Math.floor(at)]!;
  return below + (at - Math.floor(at)) * (sorted[Math.ceil(at)]! - below);
}
