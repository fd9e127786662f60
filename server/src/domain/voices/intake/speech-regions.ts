import { type ClipFrames, HOP_SECONDS } from './clip-frames.ts';

/** A segment of speech in frames, end exclusive. */
export interface SpeechRegion {
  readonly start: number;
  readonly end: number;
}

/** Below this level a clip is mostly 16-bit quantization noise. Speech at 45 dB below the usual level exceeds it. */
const AUDIBLE_DB = -72;

/** Position of the speech threshold between the quiet and the loud level. */
const THRESHOLD_SHARE = 0.35;
/** The threshold is at most this far below the loud level. */
const THRESHOLD_RANGE_DB = 35;

const GAP_FRAMES = Math.round(0.2 / HOP_SECONDS);
const BURST_FRAMES = Math.round(0.1 / HOP_SECONDS);

// Clicks, breaths and hiss have no voiced frames.
const VOICED_SHARE_MIN = 0.15;

/** Finds the speech of a clip: segments above the threshold that are long enough and voiced. */
export function findSpeech(frames: ClipFrames): readonly SpeechRegion[] {
  const loud = percentile(frames.levelDb, 0.95);
  if (!(loud > AUDIBLE_DB)) return [];
  const quiet = percentile(frames.levelDb, 0.05);
  const threshold = Math.max(quiet + THRESHOLD_SHARE * (loud - quiet), loud - THRESHOLD_RANGE_DB, AUDIBLE_DB);
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

/** Share of voiced frames. */
export function voicedShare(frames: ClipFrames, regions: readonly SpeechRegion[]): number {
  let voiced = 0;
  let total = 0;
  for (const { start, end } of regions) {
    for (let frame = start; frame < end; frame++) if ((frames.pitchHz[frame] as number) > 0) voiced++;
    total += end - start;
  }
  return total === 0 ? 0 : voiced / total;
}

/** Total duration of the regions. */
export function speechSeconds(regions: readonly SpeechRegion[]): number {
  return regions.reduce((sum, { start, end }) => sum + end - start, 0) * HOP_SECONDS;
}

/** The percentile of values, `share` from 0 to 1. NaN for an empty list. */
export function percentile(values: Iterable<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
