import { spanishNumbers } from '../../text/normalise/numbers/es.ts';
import { frenchNumbers } from '../../text/normalise/numbers/fr.ts';
import { italianNumbers } from '../../text/normalise/numbers/it.ts';
import type { NumberSpeaker } from '../../text/normalise/numbers/number-speaker.ts';
import { portugueseNumbers } from '../../text/normalise/numbers/pt.ts';
import type { AsrWord } from '../engines/asr-engine.ts';

/** Languages other than English that number speakers are there for. */
const SPEAKERS: Readonly<Record<string, NumberSpeaker>> = {
  es: spanishNumbers,
  fr: frenchNumbers,
  it: italianNumbers,
  pt: portugueseNumbers,
};
/** Up to here numbers are ordinary words, and beyond this they are rare in one piece. */
const WORDS_MAX = 20;
const FIGURES_MAX = 9999;
const AND = /^(et|y|e)$/i;

interface NumberPhrases {
  /** Figures by how they are said. */
  readonly figures: ReadonlyMap<string, string>;
  /** All words that numbers are made of. */
  readonly words: ReadonlySet<string>;
}

const known = new Map<string, NumberPhrases>();

/**
 * Writes numbers above twenty that were heard as several words ("vingt et un") in figures; in languages of which
 * it does not know the numbers, the very same words come back. The models mostly do so themselves,
 * but not always. Only a run of number words that is one number as a whole is taken, so that "cent deux cent
 * trois" and whatever else is in doubt stays as it was heard.
 */
export function withFigures(words: readonly AsrWord[], language: string): readonly AsrWord[] {
  const phrases = phrasesOf(language);
  if (phrases === undefined) return words;
  const written: AsrWord[] = [];
  for (let at = 0; at < words.length; ) {
    const run = words.slice(at, runEnd(words, at, phrases.words));
    const figures = phrases.figures.get(run.flatMap(({ text }) => partsOf(text)).join(' '));
    if (figures === undefined) written.push(...(run.length === 0 ? [words[at]!] : run));
    else written.push(joined(run, figures));
    at += Math.max(1, run.length);
  }
  return written;
}

/** Where the number words that begin at a place end: at another word, or at punctuation; not with "and". */
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

function joined(run: readonly AsrWord[], figures: string): AsrWord {
  const [first, last] = [run[0]!, run.at(-1)!];
  const [punctuation] = /[^\p{L}]*$/u.exec(last.text)!;
  return {
    text: figures + punctuation,
    startSeconds: first.startSeconds,
    endSeconds: last.endSeconds,
    confidence: Math.min(...run.map(({ confidence }) => confidence)),
  };
}

/** The words of a number: hyphens may stand between them or not. */
function partsOf(text: string): string[] {
  return text
    .toLowerCase()
    .replace(/[^\p{L}]+$/u, '')
    .split('-');
}

function phrasesOf(language: string): NumberPhrases | undefined {
  const speaker = SPEAKERS[language];
  if (speaker === undefined) return undefined;
  let phrases = known.get(language);
  if (phrases === undefined) {
    phrases = makePhrases(speaker);
    known.set(language, phrases);
  }
  return phrases;
}

function makePhrases(speaker: NumberSpeaker): NumberPhrases {
  const figures = new Map<string, string>();
  const words = new Set<string>();
  for (let number = 0; number <= FIGURES_MAX; number++) {
    const parts = speaker.cardinal(`${number}`).flatMap(partsOf);
    for (const part of parts) words.add(part);
    if (number > WORDS_MAX && parts.length > 1) figures.set(parts.join(' '), `${number}`);
  }
  return { figures, words };
}
