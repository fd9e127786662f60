import { segmentUnspaced } from '../../../text/normalise/segment-unspaced.ts';
import type { SpokenWord } from '../../../text/piece.ts';
import type { PhonemeTime, WordTime } from '../../engines/tts-engine.ts';
import type { TimedWord } from './timing.ts';
import type { TimedViseme } from './visemes.ts';
import { toVisemes } from './visemes.ts';

/** Maximum difference between the detected onset and the engine's start of the first word. */
const ONSET_SECONDS = 0.15;

/**
 * The words as written, with their times. The spoken words of one written word ("$5") are merged; runs of Chinese
 * or Japanese are segmented. A word without audio has zero duration. `times` is indexed by spoken word, and
 * `shiftSeconds` is added to it. The detected start and end of speech take precedence over the engine's times.
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
    const isOnset = words.length === 0 && Math.abs(place(seconds) - speechStartSeconds) < ONSET_SECONDS;
    return isOnset ? speechStartSeconds : place(seconds);
  };
  let previousEnd = 0;
  for (let from = 0; from < spoken.length; ) {
    const { start, end } = spoken[from]!;
    let to = from + 1;
    while (to < spoken.length && spoken[to]!.start < end) to++;
    const spokenTime = spokenTimes(times, from, to);
    const startSeconds = Math.max(previousEnd, spokenTime ? placeStart(spokenTime.start) : previousEnd);
    const endSeconds = Math.max(startSeconds, spokenTime ? place(spokenTime.end) : startSeconds);
    const visemes =
      spokenTime?.phonemes &&
      toVisemes(spokenTime.phonemes, (seconds) => Math.max(previousEnd, place(seconds)));
    words.push(...splitRun(options.textOf(start, end), { start, startSeconds, endSeconds, visemes }));
    previousEnd = endSeconds;
    from = to;
  }
  return words;
}

interface SpokenTime {
  readonly start: number;
  readonly end: number;
  readonly phonemes: readonly PhonemeTime[] | undefined;
}

function spokenTimes(times: ReadonlyMap<number, WordTime>, from: number, to: number): SpokenTime | undefined {
  let spokenTime: SpokenTime | undefined;
  for (let index = from; index < to; index++) {
    const time = times.get(index);
    if (time === undefined) continue;
    const phonemes = time.phonemes && [...(spokenTime?.phonemes ?? []), ...time.phonemes];
    spokenTime = { start: spokenTime?.start ?? time.startSeconds, end: time.endSeconds, phonemes };
  }
  return spokenTime;
}

function splitRun(
  text: string,
  at: {
    readonly start: number;
    readonly startSeconds: number;
    readonly endSeconds: number;
    readonly visemes: readonly TimedViseme[] | undefined;
  },
): TimedWord[] {
  const parts = segmentUnspaced(text);
  const total = parts.reduce((sum, { relativeDuration }) => sum + relativeDuration, 0);
  const secondsPerUnit = (at.endSeconds - at.startSeconds) / total;
  let durationBefore = 0;
  return parts.map(({ start, end, relativeDuration }) => {
    const startSeconds = at.startSeconds + durationBefore * secondsPerUnit;
    durationBefore += relativeDuration;
    const endSeconds = at.startSeconds + durationBefore * secondsPerUnit;
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
