import { segmentUnspaced } from '../../../text/normalise/segment-unspaced.ts';
import type { SpokenWord } from '../../../text/piece.ts';
import type { PhonemeTime, WordTime } from '../../engines/tts-engine.ts';
import type { TimedWord } from './timing.ts';
import type { TimedViseme } from './visemes.ts';
import { toVisemes } from './visemes.ts';

/** How far the first sound may be from where the engine says the first word begins. */
const ONSET_SECONDS = 0.15;

/**
 * The words as the client wrote them, with their times. What was spoken for one written word ("$5") is one
 * again, and a run of Chinese or Japanese is parted. A word that was not heard stands between its neighbours
 * with no length. `times` is by index of the spoken word, and `shiftSeconds` is added to it; where the sound
 * begins and ends is known better than any engine says it.
 */
export function timeWrittenWords(
  spoken: readonly SpokenWord[],
  times: ReadonlyMap<number, WordTime>,
  options: {
    readonly shiftSeconds: number;
    readonly speechStartSeconds: number;
    readonly speechEndSeconds: number | undefined;
    readonly textOf: (start: number, end: number) => string;
  },
): TimedWord[] {
  const words: TimedWord[] = [];
  const { shiftSeconds, speechStartSeconds, speechEndSeconds = Number.POSITIVE_INFINITY } = options;
  const place = (seconds: number) => Math.min(seconds + shiftSeconds, speechEndSeconds);
  const placeStart = (seconds: number) => {
    const isFirstSound = words.length === 0 && Math.abs(place(seconds) - speechStartSeconds) < ONSET_SECONDS;
    return isFirstSound ? speechStartSeconds : place(seconds);
  };
  let heardTo = 0;
  for (let from = 0; from < spoken.length; ) {
    const { start, end } = spoken[from]!;
    let to = from + 1;
    while (to < spoken.length && spoken[to]!.start < end) to++;
    const heard = heardBetween(times, from, to);
    const startSeconds = Math.max(heardTo, heard ? placeStart(heard.start) : heardTo);
    const endSeconds = Math.max(startSeconds, heard ? place(heard.end) : startSeconds);
    const visemes =
      heard?.phonemes && toVisemes(heard.phonemes, (seconds) => Math.max(heardTo, place(seconds)));
    words.push(...partRun(options.textOf(start, end), { start, startSeconds, endSeconds, visemes }));
    heardTo = endSeconds;
    from = to;
  }
  return words;
}

interface Heard {
  readonly start: number;
  readonly end: number;
  readonly phonemes: readonly PhonemeTime[] | undefined;
}

function heardBetween(times: ReadonlyMap<number, WordTime>, from: number, to: number): Heard | undefined {
  let heard: Heard | undefined;
  for (let index = from; index < to; index++) {
    const time = times.get(index);
    if (time === undefined) continue;
    const phonemes = time.phonemes && [...(heard?.phonemes ?? []), ...time.phonemes];
    heard = { start: heard?.start ?? time.startSeconds, end: time.endSeconds, phonemes };
  }
  return heard;
}

function partRun(
  text: string,
  at: {
    readonly start: number;
    readonly startSeconds: number;
    readonly endSeconds: number;
    readonly visemes: readonly TimedViseme[] | undefined;
  },
): TimedWord[] {
  const parts = segmentUnspaced(text);
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  const secondsPerWeight = (at.endSeconds - at.startSeconds) / total;
  let weightBefore = 0;
  return parts.map(({ start, end, weight }) => {
    const startSeconds = at.startSeconds + weightBefore * secondsPerWeight;
    weightBefore += weight;
    const endSeconds = at.startSeconds + weightBefore * secondsPerWeight;
    const isInside = (viseme: TimedViseme) =>
      parts.length === 1 || (viseme.startSeconds >= startSeconds && viseme.startSeconds < endSeconds);
    return {
      text: text.slice(start, end),
      startSeconds,
      endSeconds,
      charStart: at.start + start,
      charEnd: at.start + end,
      ...(at.visemes && { visemes: at.visemes.filter(isInside) }),
    };
  });
}
