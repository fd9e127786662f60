import type { GivenPhonemes } from '../piece.ts';

/** A word to be said, with its place in the clean text. */
export interface VerbalizedWord {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** A pause inside what is read as one, such as between the groups of a telephone number. */
  readonly after?: ',';
  readonly spell?: true;
  readonly phonemes?: GivenPhonemes;
}

/** What a rule makes of the text at one place: words that stay together, and where they end. */
export interface Verbalization {
  readonly words: readonly VerbalizedWord[];
  readonly end: number;
  /** The reading took a full stop that closes the sentence as well ("… at 8 p.m."). */
  readonly endsSentence?: true;
}

/** What stands around the place that is read. */
export interface VerbalizationContext {
  /** The clean text. */
  readonly text: string;
  /** The word written before, empty at the start of a sentence. */
  readonly previous: string;
  /** The word before that one. */
  readonly beforePrevious: string;
}

/** Reads what begins at `at`, or leaves it to the next rule. */
export type VerbalizationRule = (context: VerbalizationContext, at: number) => Verbalization | undefined;

/** Matches a sticky pattern at exactly this place. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Words that are all said for the same stretch of text. */
export function say(words: string | readonly string[], start: number, end: number): VerbalizedWord[] {
  const list = typeof words === 'string' ? words.split(' ') : words;
  return list.map((text) => ({ text, start, end }));
}

/** Letters said by their names, all for the same stretch of text. */
export function spell(letters: string, start: number, end: number): VerbalizedWord[] {
  return Array.from(letters, (letter) => ({ text: letter.toUpperCase(), start, end, spell: true as const }));
}

/** Letter names in the plural, spelled so that any phonemizer says them right. */
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

/** Letters said by their names, the last with an "s": "URLs", "the FBI's". */
export function spellPlural(letters: string, start: number, end: number): VerbalizedWord[] {
  const last = LETTER_PLURALS[letters.at(-1)!.toUpperCase()] ?? letters.at(-1)!;
  return [...spell(letters.slice(0, -1), start, end), ...say(last, start, end)];
}

/** Puts a pause after the last of some words. */
export function addPauseAfter(words: readonly VerbalizedWord[]): VerbalizedWord[] {
  return words.map((word, index) => (index === words.length - 1 ? { ...word, after: ',' as const } : word));
}

/** Whether a sentence could end here: nothing follows, or what follows begins like a new one. */
export function canSentenceEndAt(text: string, at: number): boolean {
  const next = matchAt(/[\s”')\]]{0,8}/y, text, at)![0].length + at;
  return next >= text.length || /[\p{Lu}\d“("'¿¡[]/u.test(text[next]!);
}
