import { BAND_HZ, BANDS, type ClipFrames, HOP_SECONDS } from './clip-frames.ts';
import { percentile, type SpeechRegion } from './speech-regions.ts';

/** Signal-to-noise ratio in dB, limited to -10 to 60. Recordings without noise have no finite ratio. */
export function signalToNoiseDb(frames: ClipFrames, regions: readonly SpeechRegion[]): number {
  const isSpeech = speechMask(frames, regions);
  const speech: number[] = [];
  const rest: number[] = [];
  for (let frame = 0; frame < frames.count; frame++) {
    const level = frames.levelDb[frame] as number;
    if (isSpeech[frame] === 1) speech.push(level);
    // Frames next to speech contain breaths and reverberation.
    else if (isSpeech[frame - 5] !== 1 && isSpeech[frame + 5] !== 1) rest.push(level);
  }
  // Without pauses, the noise is estimated from the quietest frames between syllables.
  const noise = rest.length >= 10 ? meanPower(rest) : 10 ** (percentile(frames.levelDb, 0.03) / 10);
  const signal = Math.max(meanPower(speech) - noise, 1e-12);
  return Math.max(-10, Math.min(60, 10 * Math.log10(signal / (noise + 1e-12))));
}

/** Upper end of the speech spectrum in Hz: 3400 for a telephone. */
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

/** Level relative to the strongest band. Sibilants of every voice exceed it. */
const BAND_FLOOR_DB = -58;

/** Share of speech frames with several partials of constant frequency: notes have them, voices do not. */
export function steadyShare(frames: ClipFrames, regions: readonly SpeechRegion[]): number {
  let steady = 0;
  let total = 0;
  for (const { start, end } of regions) {
    for (let frame = start; frame < end; frame++) if ((frames.steadyPartials[frame] as number) >= 2) steady++;
    total += end - start;
  }
  return total === 0 ? 0 : steady / total;
}

/** Reverberation time RT60 in seconds, estimated from the steepest decays at word ends. Undefined with too few decays. */
export function reverberationSeconds(frames: ClipFrames): number | undefined {
  const slopes: number[] = [];
  const { levelDb } = frames;
  const floor = percentile(levelDb, 0.1);
  for (let start = 0; start + DECAY_FRAMES < frames.count; start++) {
    const from = levelDb[start] as number;
    const to = levelDb[start + DECAY_FRAMES] as number;
    // A decay into the noise floor is not usable.
    if (to < floor + 6 || from - to < 6) continue;
    let isDecaying = true;
    for (let i = 1; i <= DECAY_FRAMES && isDecaying; i++) {
      isDecaying = (levelDb[start + i] as number) < (levelDb[start + i - 1] as number);
    }
    if (isDecaying) slopes.push((from - to) / (DECAY_FRAMES * HOP_SECONDS));
  }
  if (slopes.length < 5) return undefined;
  return 60 / percentile(slopes, 0.8);
}

const DECAY_FRAMES = 5;

function speechMask(frames: ClipFrames, regions: readonly SpeechRegion[]): Uint8Array {
  const mask = new Uint8Array(frames.count);
  for (const { start, end } of regions) mask.fill(1, start, end);
  return mask;
}

function meanPower(levelsDb: readonly number[]): number {
  return levelsDb.reduce((sum, level) => sum + 10 ** (level / 10), 0) / Math.max(1, levelsDb.length);
}
