import { ASR_SAMPLE_RATE_HZ, type AsrWord } from '../../../domain/engines/asr-engine.ts';

const FRAMES_PER_SECOND = 100;
const FRAME_SAMPLES = ASR_SAMPLE_RATE_HZ / FRAMES_PER_SECOND;
/** Level of a pause relative to the 95th percentile of the frame levels. */
const PAUSE_DB = -32;
/** A shorter pause belongs to the word, since the closure of a plosive is silent as well. */
const PAUSE_SECONDS_MIN = 0.07;
const WORD_SECONDS_MIN = 0.04;

/**
 * Removes pauses from the start and end of words: attention gives the approximate times, the signal level the exact
 * start and end.
 */
export function trimToAudibleSpan(words: readonly AsrWord[], samples: Float32Array): AsrWord[] {
  const isLoud = findLoudFrames(samples);
  return words.map((word) => {
    let from = Math.round(word.startSeconds * FRAMES_PER_SECOND);
    let to = Math.min(isLoud.length, Math.round(word.endSeconds * FRAMES_PER_SECOND));
    const [first, last] = [from, to];
    while (from < to && isLoud[from] === 0) from++;
    while (to > from && isLoud[to - 1] === 0) to--;
    if (to - from < WORD_SECONDS_MIN * FRAMES_PER_SECOND) return word;
    const isPauseBefore = from - first >= PAUSE_SECONDS_MIN * FRAMES_PER_SECOND;
    const isPauseAfter = last - to >= PAUSE_SECONDS_MIN * FRAMES_PER_SECOND;
    return {
      ...word,
      startSeconds: isPauseBefore ? from / FRAMES_PER_SECOND : word.startSeconds,
      endSeconds: isPauseAfter ? to / FRAMES_PER_SECOND : word.endSeconds,
    };
  });
}

/** For each frame: 1 if it is above the pause level, else 0. */
function findLoudFrames(samples: Float32Array): Uint8Array {
  const frames = Math.ceil(samples.length / FRAME_SAMPLES);
  const levels = new Float32Array(frames);
  for (let frame = 0; frame < frames; frame++) {
    const part = samples.subarray(frame * FRAME_SAMPLES, (frame + 1) * FRAME_SAMPLES);
    let sum = 0;
    for (const sample of part) sum += sample * sample;
    levels[frame] = sum / part.length;
  }
  const loudest = Float32Array.from(levels).sort()[Math.floor(frames * 0.95)] ?? 0;
  const threshold = loudest * 10 ** (PAUSE_DB / 10);
  return Uint8Array.from(levels, (level) => (level > threshold ? 1 : 0));
}
