import { ASR_SAMPLE_RATE_HZ, type AsrWord } from '../../../domain/engines/asr-engine.ts';

const FRAME_SAMPLES = ASR_SAMPLE_RATE_HZ / 100;
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
  const loud = loudFrames(samples);
  return words.map((word) => {
    let from = Math.round(word.startSeconds * 100);
    let to = Math.min(loud.length, Math.round(word.endSeconds * 100));
    const [first, last] = [from, to];
    while (from < to && loud[from] === 0) from++;
    while (to > from && loud[to - 1] === 0) to--;
    if (to - from < WORD_SECONDS_MIN * 100) return word;
    const isPauseBefore = from - first >= PAUSE_SECONDS_MIN * 100;
    const isPauseAfter = last - to >= PAUSE_SECONDS_MIN * 100;
    return {
      ...word,
      startSeconds: isPauseBefore ? from / 100 : word.startSeconds,
      endSeconds: isPauseAfter ? to / 100 : word.endSeconds,
    };
  });
}

/** For each 10 ms frame: 1 if it is above the pause level, else 0. */
function loudFrames(samples: Float32Array): Uint8Array {
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
