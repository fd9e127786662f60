import { type ClipFrames, HOP_SECONDS } from './clip-frames.ts';

/** A stretch of speech, in frames; the end is not part of it. */
export interface SpeechRegion {
  readonly start: number;
  readonly end: number;
}

/** Quieter clips hold little but the steps of 16-bit samples. Speech 45 dB below the usual level is louder. */
const AUDIBLE_DB = -72;

/** Speech lies this share of the way from the quiet parts to the loud ones, or nearer to the loud ones. */
const THRESHOLD_SHARE = 0.35;
const REACH_DB = 35;

const GAP_FRAMES = Math.round(0.2 / HOP_SECONDS);
const BURST_FRAMES = Math.round(0.1 / HOP_SECONDS);

// A syllable has a vowel; a click, a breath or a hiss has none.
const VOICED_SHARE_MIN = 0.15;

/** Finds the stretches of a clip that are speech: louder than the rest, long enough, and voiced. */
export function findSpeech(frames: ClipFrames): readonly SpeechRegion[] {
  const loud = percentile(frames.levelDb, 0.95);
  if (!(loud > AUDIBLE_DB)) return [];
  const quiet = percentile(frames.levelDb, 0.05);
  const threshold = Math.max(quiet + THRESHOLD_SHARE * (loud - quiet), loud - REACH_DB, AUDIBLE_DB);
  const runs: { start: number; end: number }[] = [];
  for (let frame = 0; frame < frames.count; frame++) {
    if ((frames.levelDb[frame] as number) <= threshold) continue;
    const last = runs.at(-1);
    if (last !== undefined && frame - last.end <= GAP_FRAMES) last.end = frame + 1;
    else runs.push({ start: frame, end: frame + 1 });
  }
  return runs.filter(
    (run) => run.end - run.start >= BURST_FRAMES && voicedShare(frames, [run]) >= VOICED_SHARE_MIN,
  );
}

/** Which part of the regions' frames is voiced. */
export function voicedShare(frames: ClipFrames, regions: readonly SpeechRegion[]): number {
  let voiced = 0;
  let total = 0;
  for (const { start, end } of regions) {
    for (let frame = start; frame < end; frame++) if ((frames.pitchHz[frame] as number) > 0) voiced++;
    total += end - start;
  }
  return total === 0 ? 0 : voiced / total;
}

/** Length of all regions together. */
export function speechSeconds(regions: readonly SpeechRegion[]): number {
  return regions.reduce((sum, { start, end }) => sum + end - start, 0) * HOP_SECONDS;
}

/** The value below which the given share lies. NaN for none. */
export function percentile(values: Iterable<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
