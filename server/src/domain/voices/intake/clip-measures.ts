import { BAND_HZ, BANDS, type ClipFrames, HOP_SECONDS } from './clip-frames.ts';
import { percentile, type SpeechRegion } from './speech-regions.ts';

/** Level of the speech over that of the rest, in dB. At most 60: recordings without any noise have no ratio. */
export function signalToNoiseDb(frames: ClipFrames, regions: readonly SpeechRegion[]): number {
  const isSpeech = speechMask(frames, regions);
  const speech: number[] = [];
  const rest: number[] = [];
  for (let frame = 0; frame < frames.count; frame++) {
    const level = frames.levelDb[frame] as number;
    if (isSpeech[frame] === 1) speech.push(level);
    // Next to speech there are breaths and the room's echo.
    else if (isSpeech[frame - 5] !== 1 && isSpeech[frame + 5] !== 1) rest.push(level);
  }
  // Without pauses, the quietest moments between syllables have to do.
  const noise = rest.length >= 10 ? meanPower(rest) : 10 ** (percentile(frames.levelDb, 0.03) / 10);
  const signal = Math.max(meanPower(speech) - noise, 1e-12);
  return Math.max(-10, Math.min(60, 10 * Math.log10(signal / (noise + 1e-12))));
}

/** How far up the speech reaches, in Hz: a telephone ends at 3400. */
export function bandwidthHz(frames: ClipFrames, regions: readonly SpeechRegion[]): number {
  const isSpeech = speechMask(frames, regions);
  const mean = new Float64Array(BANDS);
  let count = 0;
  for (let frame = 0; frame < frames.count; frame++) {
    if (isSpeech[frame] !== 1) continue;
    count++;
    for (let band = 0; band < BANDS; band++) {
      mean[band] = (mean[band] as number) + 10 ** ((frames.bandsDb[frame * BANDS + band] as number) / 10);
    }
  }
  if (count === 0) return 0;
  const floor = Math.max(...mean) * 10 ** (BAND_FLOOR_DB / 10);
  return (mean.findLastIndex((power) => power > floor) + 1) * BAND_HZ;
}

/** Sibilants of any voice are louder than this against its vowels. */
const BAND_FLOOR_DB = -58;

/** The share of speech frames in which several partials stand still, as notes do and voices do not. */
export function steadyShare(frames: ClipFrames, regions: readonly SpeechRegion[]): number {
  let steady = 0;
  let total = 0;
  for (const { start, end } of regions) {
    for (let frame = start; frame < end; frame++) if ((frames.steadyPartials[frame] as number) >= 2) steady++;
    total += end - start;
  }
  return total === 0 ? 0 : steady / total;
}

/**
 * How long sound hangs in the room: seconds for a fall of 60 dB, told from the steepest falls at the ends of
 * words. Undefined when there are too few.
 */
export function reverberationSeconds(frames: ClipFrames): number | undefined {
  const slopes: number[] = [];
  const { levelDb } = frames;
  const floor = percentile(levelDb, 0.1);
  for (let start = 0; start + FALL_FRAMES < frames.count; start++) {
    const from = levelDb[start] as number;
    const to = levelDb[start + FALL_FRAMES] as number;
    // A fall that reaches the noise is cut off by it.
    if (to < floor + 6 || from - to < 6) continue;
    let isFalling = true;
    for (let i = 1; i <= FALL_FRAMES && isFalling; i++) {
      isFalling = (levelDb[start + i] as number) < (levelDb[start + i - 1] as number);
    }
    if (isFalling) slopes.push((from - to) / (FALL_FRAMES * HOP_SECONDS));
  }
  if (slopes.length < 5) return undefined;
  return 60 / percentile(slopes, 0.8);
}

const FALL_FRAMES = 5;

function speechMask(frames: ClipFrames, regions: readonly SpeechRegion[]): Uint8Array {
  const mask = new Uint8Array(frames.count);
  for (const { start, end } of regions) mask.fill(1, start, end);
  return mask;
}

function meanPower(levelsDb: readonly number[]): number {
  return levelsDb.reduce((sum, level) => sum + 10 ** (level / 10), 0) / Math.max(1, levelsDb.length);
}
