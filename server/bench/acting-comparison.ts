import type { SpeechMeasures } from '../src/audio/dsp/speech-measures.ts';
import type { Shown } from '../src/domain/speech/acting/cue-table.ts';
import type { Misheard } from './acting-listener.ts';
import { median } from './statistics.ts';

/** What a cue may cost of being understood: this share of the words more than without it. */
const MISHEARD_MORE_MAX = 0.03;

/** One number of a cue: what the table states, and what was measured over the sentences. */
export interface Comparison {
  readonly measure: keyof Shown;
  readonly stated: number;
  readonly median: number;
  /** The sentence that shows least of it. */
  readonly least: number;
  /** The median reaches what is stated, and no sentence goes the other way. */
  readonly isMet: boolean;
}

/** How a sentence with a cue differs from the same without it. */
const DIFFERENCES: Readonly<Record<keyof Shown, (acted: SpeechMeasures, own: SpeechMeasures) => number>> = {
  pitchSemitones: (acted, own) => 12 * Math.log2(acted.pitchHz / own.pitchHz),
  pitchRange: (acted, own) => acted.rangeSemitones / own.rangeSemitones,
  levelDb: (acted, own) => acted.levelDb - own.levelDb,
  brightnessDb: (acted, own) => acted.brightnessDb - own.brightnessDb,
  rate: (acted, own) => own.seconds / acted.seconds,
  voicedShareMax: (acted) => acted.voicedShare,
  pauseSeconds: (acted, own) => acted.longestPauseSeconds - own.longestPauseSeconds,
};

/** Where nothing has changed. A share that must not be passed is judged from above. */
const UNCHANGED: Readonly<Record<keyof Shown, number>> = {
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
  shown: Shown,
  pairs: readonly { readonly acted: SpeechMeasures; readonly own: SpeechMeasures }[],
): Comparison[] {
  return (Object.keys(shown) as (keyof Shown)[]).map((measure) => {
    const stated = shown[measure]!;
    const values = pairs.map(({ acted, own }) => DIFFERENCES[measure](acted, own));
    const isDown = stated < UNCHANGED[measure];
    const least = isDown ? Math.max(...values) : Math.min(...values);
    const middle = median(values);
    const reaches = (value: number, amount: number) => (isDown ? value <= amount : value >= amount);
    // A whisper that is voiced in one sentence is none; elsewhere single sentences may fall short.
    const worstAllowed = measure === 'voicedShareMax' ? stated : UNCHANGED[measure];
    const isMet = reaches(middle, stated) && reaches(least, worstAllowed);
    return { measure, stated, median: middle, least, isMet };
  });
}

/** What a cue costs of being understood, as shares of all words. */
export interface WordComparison {
  readonly misheard: number;
  readonly ownMisheard: number;
  readonly limit: number;
  readonly isMet: boolean;
}

/** Compares how many words were misheard with a cue and without it. */
export function compareWords(acted: readonly Misheard[], own: readonly Misheard[]): WordComparison {
  const [misheard, ownMisheard] = [shareMisheard(acted), shareMisheard(own)];
  const limit = ownMisheard + MISHEARD_MORE_MAX;
  return { misheard, ownMisheard, limit, isMet: misheard <= limit };
}

function shareMisheard(takes: readonly Misheard[]): number {
  const sum = (field: keyof Misheard) => takes.reduce((total, take) => total + take[field], 0);
  return sum('errors') / sum('words');
}
