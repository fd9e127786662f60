import { americanNumbers, britishNumbers } from '../../text/normalise/numbers/en.ts';
import { spanishNumbers } from '../../text/normalise/numbers/es.ts';
import { frenchNumbers } from '../../text/normalise/numbers/fr.ts';
import { italianNumbers } from '../../text/normalise/numbers/it.ts';
import type { NumberVerbalizer } from '../../text/normalise/numbers/number-verbalizer.ts';
import { portugueseNumbers } from '../../text/normalise/numbers/pt.ts';
import type { AsrWord } from '../engines/asr-engine.ts';

/** Number words by language. */
const SPEAKERS: Readonly<Record<string, NumberVerbalizer>> = {
  en: americanNumbers,
  es: spanishNumbers,
  fr: frenchNumbers,
  it: italianNumbers,
  pt: portugueseNumbers,
};
/** Numbers up to this one stay words. */
const WORDS_MAX = 20;
/** Larger numbers are rarely spoken as one number. */
const DIGITS_MAX = 9999;
const AND = /^(et|y|e|and)$/i;
/** Centuries and years that are spoken in pairs: "nineteen eighty-four". */
const PAIRED_CENTURIES = [13, 14, 15, 16, 17, 18, 19, 20];

interface NumberPhrases {
  /** Digits by spoken form. */
  readonly digits: ReadonlyMap<string, string>;
  /** All words that occur in numbers. */
  readonly words: ReadonlySet<string>;
}

const phrasesByLanguage = new Map<string, NumberPhrases>();

/**
 * Inverse text normalisation of cardinal numbers: writes a number above twenty that was transcribed as several
 * words ("vingt et un") in digits, which the models usually but not always do themselves. A run of number words
 * is replaced only if all of it is one number, so ambiguous runs such as "cent deux cent trois" stay unchanged.
 * Returns the same array when nothing changes.
 */
export function writeNumbersAsDigits(words: readonly AsrWord[], language: string): readonly AsrWord[] {
  const phrases = phrasesOf(language);
  if (phrases === undefined) return words;
  const written: AsrWord[] = [];
  let isChanged = false;
  for (let at = 0; at < words.length; ) {
    const run = words.slice(at, runEnd(words, at, phrases.words));
    const digits = phrases.digits.get(run.flatMap(({ text }) => partsOf(text)).join(' '));
    if (digits === undefined) written.push(...(run.length === 0 ? [words[at]!] : run));
    else {
      written.push(joinRun(run, digits));
      isChanged = true;
    }
    at += Math.max(1, run.length);
  }
  return isChanged ? written : words;
}

/** The end of the run of number words at `start`. Another word or punctuation ends it; it never ends with "and". */
function runEnd(words: readonly AsrWord[], start: number, numberWords: ReadonlySet<string>): number {
  let end = start;
  for (let at = start; at < words.length; at++) {
    const { text } = words[at]!;
    const isAnd = AND.test(text);
    if ((isAnd && at === start) || !partsOf(text).every((part) => numberWords.has(part))) break;
    if (!isAnd) end = at + 1;
    if (/[^\p{L}]$/u.test(text)) break;
  }
  return end;
}

function joinRun(run: readonly AsrWord[], digits: string): AsrWord {
  const [first, last] = [run[0]!, run.at(-1)!];
  const [punctuation] = /[^\p{L}]*$/u.exec(last.text)!;
  return {
    text: digits + punctuation,
    startSeconds: first.startSeconds,
    endSeconds: last.endSeconds,
    confidence: Math.min(...run.map(({ confidence }) => confidence)),
  };
}

/** The words of a number, which may be joined by hyphens. */
function partsOf(text: string): string[] {
  return text
    .toLowerCase()
    .replace(/[^\p{L}]+$/u, '')
    .split('-');
}

function phrasesOf(language: string): NumberPhrases | undefined {
  const speaker = SPEAKERS[language];
  if (speaker === undefined) return undefined;
  let phrases = phrasesByLanguage.get(language);
  if (phrases === undefined) {
    phrases = makePhrases(speaker);
    phrasesByLanguage.set(language, phrases);
  }
  return phrases;
}

function makePhrases(speaker: NumberVerbalizer): NumberPhrases {
  const digits = new Map<string, string>();
  const words = new Set<string>();
  for (let number = 0; number <= DIGITS_MAX; number++) {
    const parts = speaker.cardinal(`${number}`).flatMap(partsOf);
    for (const part of parts) words.add(part);
    if (number > WORDS_MAX && parts.length > 1) digits.set(parts.join(' '), `${number}`);
  }
  if (speaker === americanNumbers) addEnglishForms(digits, words);
  return { digits, words };
}

/** Forms of English that `cardinal` does not give: tens, "one hundred and five" and years in pairs. */
function addEnglishForms(digits: Map<string, string>, words: Set<string>): void {
  words.add('and');
  const add = (spoken: readonly string[], written: number) => {
    const key = spoken.flatMap(partsOf).join(' ');
    if (!digits.has(key)) digits.set(key, `${written}`);
  };
  for (let number = 1; number <= DIGITS_MAX; number++) {
    if (number > 100) add(britishNumbers.cardinal(`${number}`), number);
    if (number > WORDS_MAX && number < 100) add(americanNumbers.cardinal(`${number}`), number);
  }
  for (const century of PAIRED_CENTURIES) {
    for (let year = 10; year < 100; year++) {
      const pair = [century, year].map((part) => americanNumbers.cardinal(`${part}`));
      add(pair.flat(), 100 * century + year);
    }
  }
}
