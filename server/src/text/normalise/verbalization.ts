import { matchAt } from '../match-at.ts';
import type { GivenPhonemes } from '../piece.ts';

/** A verbalized word, with its offsets in the clean text. */
export interface VerbalizedWord {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** A pause within an expression, such as between the groups of a telephone number. */
  readonly after?: ',';
  readonly spell?: true;
  readonly phonemes?: GivenPhonemes;
  readonly isFromDictionary?: true;
}

/** The words of one expression, which are never separated, and the end of the expression. */
export interface Verbalization {
  readonly words: readonly VerbalizedWord[];
  readonly end: number;
  /** The expression includes a full stop that also ends the sentence ("… at 8 p.m."). */
  readonly endsSentence?: true;
}

/** The context of an expression. */
export interface VerbalizationContext {
  /** The clean text. */
  readonly text: string;
  /** The preceding word as written; empty at the start of a sentence. */
  readonly previous: string;
  /** The word before `previous`. */
  readonly beforePrevious: string;
}

/** Verbalizes the expression that begins at `at`; undefined if the rule does not apply. */
export type VerbalizationRule = (context: VerbalizationContext, at: number) => Verbalization | undefined;

/** Creates words with the same source span. */
export function say(words: string | readonly string[], start: number, end: number): VerbalizedWord[] {
  const list = typeof words === 'string' ? words.split(' ') : words;
  return list.map((text) => ({ text, start, end }));
}

/** Creates spelled letters with the same source span. */
export function spell(letters: string, start: number, end: number): VerbalizedWord[] {
  return Array.from(letters, (letter) => ({ text: letter.toUpperCase(), start, end, spell: true as const }));
}

/** Plurals of letter names, in spellings that any phonemizer pronounces correctly. */
const LETTER_PLURALS: Readonly<Record<string, string>> = {
  ...{
    A: 'ays',
    B: 'bees',
    C: 'seas',
    D: 'dees',
    E: 'ease',
    F: 'effs',
    G: 'jeez',
    H: 'aitches',
    I: 'eyes',
    J: 'jays',
  },
  ...{
    K: 'kays',
    L: 'ells',
    M: 'ems',
    N: 'ens',
    O: 'ohs',
    P: 'peas',
    Q: 'cues',
    R: 'ars',
    S: 'esses',
    T: 'tees',
  },
  ...{ U: 'ewes', V: 'vees', W: 'double ewes', X: 'exes', Y: 'wise', Z: 'zees' },
};

/** Creates spelled letters, the last in the plural: "URLs", "the FBI's". */
export function spellPlural(letters: string, start: number, end: number): VerbalizedWord[] {
  const last = LETTER_PLURALS[letters.at(-1)!.toUpperCase()] ?? letters.at(-1)!;
  return [...spell(letters.slice(0, -1), start, end), ...say(last, start, end)];
}

/** Adds a pause after the last word. */
export function addPauseAfter(words: readonly VerbalizedWord[]): VerbalizedWord[] {
  return words.map((word, index) => (index === words.length - 1 ? { ...word, after: ',' as const } : word));
}

/** Whether a sentence can end at `at`: at the end of the text, or before a possible sentence start. */
export function canSentenceEndAt(text: string, at: number): boolean {
  const next = matchAt(/[\s”')\]]{0,8}/y, text, at)![0].length + at;
  return next >= text.length || /[\p{Lu}\d“("'¿¡[]/u.test(text[next]!);
}
