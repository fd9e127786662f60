import { matchAt } from '../../match-at.ts';
import { pairWords, toOrdinal } from '../numbers/en.ts';
import {
  say,
  type Verbalization,
  type VerbalizationContext,
  type VerbalizationRule,
} from '../verbalization.ts';
import type { Dialect } from './dialect.ts';
import { unitAfter } from './measures.ts';
import { numeralAt, numeralWords } from './numerals.ts';

/** Numbers separated by a slash, and fraction characters: ½, 3/4, 24/7, 4.5/5, 2019/20. */
export function fractionRules(dialect: Dialect): VerbalizationRule[] {
  return [
    (context, at) => verbalizeSeason(context, at, dialect),
    (context, at) => verbalizeScore(context, at, dialect),
    (context, at) => verbalizeFraction(context, at, dialect),
  ];
}

const VULGAR: Readonly<Record<string, readonly [number, number]>> = {
  ...{ '½': [1, 2], '⅓': [1, 3], '⅔': [2, 3], '¼': [1, 4], '¾': [3, 4], '⅕': [1, 5], '⅖': [2, 5] },
  ...{
    '⅗': [3, 5],
    '⅘': [4, 5],
    '⅙': [1, 6],
    '⅚': [5, 6],
    '⅛': [1, 8],
    '⅜': [3, 8],
    '⅝': [5, 8],
    '⅞': [7, 8],
  },
};
const FRACTION = /(?:(?:(\d{1,6})[\s-]?)?([½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞])|(\d{1,3})\/(\d{1,3}))(?![\p{L}\d/]|\.\d)/uy;
const MIXED_FRACTION = /(\d{1,6})(?:\s|-)(\d{1,3})\/(\d{1,3})(?![\p{L}\d/]|\.\d)/uy;
/** Denominators of fractions; with others the slash separates two numbers. */
const DENOMINATORS = new Set([2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 32, 50, 64, 100, 1000]);

function verbalizeFraction(
  { text }: VerbalizationContext,
  at: number,
  { numbers }: Dialect,
): Verbalization | undefined {
  const mixed = matchAt(MIXED_FRACTION, text, at);
  if (mixed && Number(mixed[2]) < Number(mixed[3])) {
    const [written, whole, above, below] = mixed;
    const words = fractionWords(Number(above), Number(below), numbers.cardinal);
    if (words) return mixedFraction(text, at, written.length, numbers.cardinal(whole!), words);
  }
  const match = matchAt(FRACTION, text, at);
  if (!match) return undefined;
  const [written, whole, vulgar, above, below] = match;
  const [a, b] = vulgar ? VULGAR[vulgar]! : [Number(above), Number(below)];
  if (!vulgar && a >= b) return slashed(at, written, [above!, below!], numbers.cardinal);
  const words = fractionWords(a, b, numbers.cardinal);
  if (!words) return slashed(at, written, [above!, below!], numbers.cardinal);
  return mixedFraction(text, at, written.length, whole === undefined ? [] : numbers.cardinal(whole), words);
}

function mixedFraction(
  text: string,
  at: number,
  length: number,
  whole: readonly string[],
  part: readonly string[],
): Verbalization {
  const end = at + length;
  const isHalf = part[0] === 'one' && part[1] === 'half';
  const words = whole.length === 0 ? part : [...whole, 'and', ...(isHalf ? ['a', 'half'] : part)];
  // Units of fractions below one are singular: "one quarter teaspoon".
  const counted = { integer: whole.length === 0 ? '1' : '2', fraction: undefined, isGrouped: false, end };
  const unit = unitAfter(text, counted);
  return { words: [...say(words, at, end), ...(unit?.words ?? [])], end: unit?.end ?? end };
}

/** Pairs of numbers that are verbalized without a connecting word. */
export const IDIOM = /^(?:24[/-]7|9\/11|50[/-]50)$/;

/** "24/7" and "9/11": the two numbers only. */
function slashed(
  at: number,
  written: string,
  [above, below]: readonly [string, string],
  cardinal: (digits: string) => readonly string[],
): Verbalization {
  const end = at + written.length;
  // Pairs that add up to a hundred, and equal pairs: "the 80/20 rule", "20/20 vision".
  const isIdiom = IDIOM.test(written) || above === below || Number(above) + Number(below) === 100;
  const middle = isIdiom ? [] : ['over'];
  return { words: say([...cardinal(above), ...middle, ...cardinal(below)], at, end), end };
}

/** The words of a fraction; undefined if the slash separates two numbers. */
export function fractionWords(
  above: number,
  below: number,
  cardinal: (digits: string) => readonly string[],
): readonly string[] | undefined {
  if (!DENOMINATORS.has(below)) return undefined;
  const head = cardinal(String(above));
  if (below === 2) return [...head, above === 1 ? 'half' : 'halves'];
  if (below === 4) return [...head, above === 1 ? 'quarter' : 'quarters'];
  const parts = toOrdinal(below >= 100 ? [below === 100 ? 'hundred' : 'thousand'] : cardinal(String(below)));
  const last = parts.at(-1)!;
  return [...head, ...parts.slice(0, -1), above === 1 ? last : `${last}s`];
}

const SEASON = /(\d{4})\/(\d{2})(?![\d/])/y;

/** "the 2019/20 season": a year and the next one. */
function verbalizeSeason(
  { text }: VerbalizationContext,
  at: number,
  { numbers }: Dialect,
): Verbalization | undefined {
  const match = matchAt(SEASON, text, at);
  if (!match || (Number(match[1]) + 1) % 100 !== Number(match[2])) return undefined;
  const [first, second] = [at + 4, at + 7];
  return {
    words: [...say(numbers.year(match[1]!), at, first), ...say(pairWords(match[2]!), first + 1, second)],
    end: second,
  };
}

const SCORE = /(\d{1,3}(?:\.\d{1,2})?)\/(\d{1,4})(?![\p{L}\d/]|\.\d)/uy;
const SCORED_NEXT = /\s(?:stars?|points?|marks?|rating|score)(?!\p{L})/uy;
const SCORED_BEFORE = /^(?:rated|rating|scored?|graded?|got|rate)$/i;

/** "rated 4.5/5", "9/10 stars": verbalized with "out of". */
function verbalizeScore(
  { text, previous }: VerbalizationContext,
  at: number,
  { numbers }: Dialect,
): Verbalization | undefined {
  const match = matchAt(SCORE, text, at);
  if (!match) return undefined;
  const [written, score, best] = match;
  const end = at + written.length;
  const isRated = SCORED_BEFORE.test(previous) && /^(?:5|10|20|100)$/.test(best!);
  const isScore = isRated || score!.includes('.') || matchAt(SCORED_NEXT, text, end);
  if (!isScore) return undefined;
  const scoreEnd = at + score!.length;
  return {
    words: [
      ...say(numeralWords(numeralAt(score!, 0)!, numbers), at, scoreEnd),
      ...say('out of', scoreEnd, scoreEnd + 1),
      ...say(numbers.cardinal(best!), scoreEnd + 1, end),
    ],
    end,
  };
}
