import type { SpeechMeasures } from '../../src/audio/dsp/speech-measures.ts';
import type { CueEffect } from '../../src/domain/speech/acting/cue-table.ts';
import { median } from '../statistics.ts';
import type { WordErrorCount } from './acting-transcriber.ts';

/** Limit of the increase of the word error rate by a cue. */
const ADDED_ERROR_RATE_MAX = 0.03;

/** One effect of a cue: its value in the cue table, and the measured values over the sentences. */
export interface Comparison {
  readonly measure: keyof CueEffect;
  readonly stated: number;
  readonly median: number;
  /** The weakest effect of a sentence. */
  readonly least: number;
  /** The median reaches the stated value, and no sentence has the opposite effect. */
  readonly isMet: boolean;
}

/** Difference between a sentence with a cue and without it. */
const DIFFERENCES: Readonly<Record<keyof CueEffect, (acted: SpeechMeasures, own: SpeechMeasures) => number>> =
  {
    pitchSemitones: (acted, own) => 12 * Math.log2(acted.pitchHz / own.pitchHz),
    pitchRange: (acted, own) => acted.rangeSemitones / own.rangeSemitones,
    levelDb: (acted, own) => acted.levelDb - own.levelDb,
    brightnessDb: (acted, own) => acted.brightnessDb - own.brightnessDb,
    rate: (acted, own) => own.seconds / acted.seconds,
    voicedShareMax: (acted) => acted.voicedShare,
    pauseSeconds: (acted, own) => acted.longestPauseSeconds - own.longestPauseSeconds,
  };

/** Values without an effect. An upper limit (`voicedShareMax`) is compared from above. */
const UNCHANGED: Readonly<Record<keyof CueEffect, number>> = {
  pitchSemitones: 0,
  pitchRange: 1,
  levelDb: 0,
  brightnessDb: 0,
  rate: 1,
  voicedShareMax: 1,
  pauseSeconds: 0,
};

/** Compares sentences with a cue and the same sentences without it, pair by pair. */
export function compareCue(
  stated: CueEffect,
  pairs: readonly { readonly acted: SpeechMeasures; readonly own: SpeechMeasures }[],
): Comparison[] {
  return (Object.keys(stated) as (keyof CueEffect)[]).map((measure) => {
    const limit = stated[measure]!;
    const values = pairs.map(({ acted, own }) => DIFFERENCES[measure](acted, own));
    const isDecrease = limit < UNCHANGED[measure];
    const least = isDecrease ? Math.max(...values) : Math.min(...values);
    const typical = median(values);
    const reaches = (value: number, amount: number) => (isDecrease ? value <= amount : value >= amount);
    // Every sentence of a whisper must be unvoiced; other effects may be weaker in single sentences.
    const worstAllowed = measure === 'voicedShareMax' ? limit : UNCHANGED[measure];
    const isMet = reaches(typical, limit) && reaches(least, worstAllowed);
    return { measure, stated: limit, median: typical, least, isMet };
  });
}

/** Word error rates with and without a cue, as fractions. */
export interface WordComparison {
  readonly errorRate: number;
  readonly neutralErrorRate: number;
  readonly limit: number;
  readonly isMet: boolean;
}

/** Compares the word error rates with and without a cue. */
export function compareWords(
  acted: readonly WordErrorCount[],
  own: readonly WordErrorCount[],
): WordComparison {
  const [errorRate, neutralErrorRate] = [wordErrorRate(acted), wordErrorRate(own)];
  const limit = neutralErrorRate + ADDED_ERROR_RATE_MAX;
  return { errorRate, neutralErrorRate, limit, isMet: errorRate <= limit };
}

function wordErrorRate(takes: readonly WordErrorCount[]): number {
  const sum = (field: keyof WordErrorCount) => takes.reduce((total, take) => total + take[field], 0);
  return sum('errors') / sum('words');
}
