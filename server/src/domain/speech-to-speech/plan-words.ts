import type { DirectedRange } from '../speech/acting/directed-range.ts';
import type { SourcePhrase, SourceWord } from './source-phrases.ts';

/** A word of synthesized speech: UTF-16 offsets in the text of the phrase, its duration and its median F0. */
export interface SpokenWordMeasure {
  readonly start: number;
  readonly end: number;
  readonly seconds: number;
  readonly pitchHz: number | undefined;
}

/** Median F0 of the two speakers. Undefined: the pitch of the voice is kept. */
export interface PitchMedians {
  readonly sourceHz: number | undefined;
  readonly spokenHz: number | undefined;
}

/** Beyond these limits a change is more likely an error of the word times or of the F0 than of the speaker. */
const RATE_MIN = 0.6;
const RATE_MAX = 1.7;
const PITCH_MAX_SEMITONES = 5;
/** Word times of a transcript are accurate to about 40 ms: shorter durations are not taken literally. */
const WORD_SECONDS_MIN = 0.08;

/**
 * Directions with which the words of a phrase get the durations of the recording, and the same distance from the median
 * pitch of the speaker. `spoken` are the words of the phrase as synthesized without directions.
 */
export function planWords(
  phrase: SourcePhrase,
  spoken: readonly SpokenWordMeasure[],
  medians: PitchMedians,
): DirectedRange[] {
  return phrase.words.flatMap((word) => {
    const own = spoken.filter(({ start, end }) => start < word.end && end > word.start);
    if (own.length === 0) return [];
    const spokenSeconds = own.reduce((sum, { seconds }) => sum + seconds, 0);
    const sourceSeconds = Math.max(WORD_SECONDS_MIN, word.endSeconds - word.startSeconds);
    const rate = clamp(spokenSeconds / sourceSeconds, RATE_MIN, RATE_MAX);
    return [
      {
        start: word.start,
        end: word.end,
        delivery: { rate, pitchSemitones: pitchShift(word, own, medians) },
      },
    ];
  });
}

/** The median of F0 values; undefined without any. */
export function medianOf(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined).sort((a, b) => a - b);
  return known[known.length >> 1];
}

function pitchShift(
  { pitchHz }: SourceWord,
  own: readonly SpokenWordMeasure[],
  { sourceHz, spokenHz }: PitchMedians,
): number {
  const spokenWordHz = medianOf(own.map((word) => word.pitchHz));
  if (!pitchHz || !sourceHz || !spokenHz || !spokenWordHz) return 0;
  const semitones = 12 * Math.log2((pitchHz / sourceHz) * (spokenHz / spokenWordHz));
  return clamp(semitones, -PITCH_MAX_SEMITONES, PITCH_MAX_SEMITONES);
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}
