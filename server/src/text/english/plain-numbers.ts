import { pairedWords, pairWords, toOrdinal } from '../numbers/en.ts';
import { type Context, matchAt, type Reading, type Rule, say, type Word } from '../reading.ts';
import type { Dialect } from './dialect.ts';
import { isArticle, unitAfter } from './measures.ts';
import { isYearLike, type Numeral, numeralAt, numeralWords } from './numerals.ts';

/** Decades, ordinals, fractions and sizes: numbers that their spelling gives away. */
export function markedNumberRules(dialect: Dialect): Rule[] {
  return [
    (context, at) => readDecade(context, at, dialect),
    (context, at) => readOrdinal(context, at, dialect),
    (context, at) => readSeason(context, at, dialect),
    (context, at) => readScore(context, at, dialect),
    (context, at) => readFraction(context, at, dialect),
    (context, at) => readSize(context, at, dialect),
  ];
}

/** Numbers that stand for themselves: counts, years, and ranges of both. */
export function plainNumberRule(dialect: Dialect): Rule {
  return (context, at) => readNumberOrRange(context, at, dialect);
}

const DECADE = /'?(\d{2})?(\d0)(?:'s|s)(?![\p{L}\d])/uy;

function readDecade({ text }: Context, at: number, { numbers }: Dialect): Reading | undefined {
  const match = matchAt(DECADE, text, at);
  if (!match) return undefined;
  const [written, century, decade] = match;
  const end = at + written.length;
  const head = century === undefined ? [] : numbers.cardinal(century);
  if (decade === '00') {
    if (century === undefined) return undefined;
    const words = century === '20' ? ['two', 'thousands'] : [...head, 'hundreds'];
    return { words: say(words, at, end), end };
  }
  if (decade === '10' && century === undefined) return undefined;
  if (decade === '10') return { words: say([...head, 'tens'], at, end), end };
  const tens = numbers.cardinal(decade!)[0]!;
  return { words: say([...head, `${tens.slice(0, -1)}ies`], at, end), end };
}

const ORDINAL = /(\d{1,3}(?:,\d{3}){1,4}|\d{1,12})(?:st|nd|rd|th)(?![\p{L}\d])/iuy;
const ORDINAL_DASH = /\s?[–-]\s?(?=\d)/uy;

function readOrdinal({ text }: Context, at: number, { numbers }: Dialect): Reading | undefined {
  const first = ordinalAt(text, at, numbers);
  const dash = first && matchAt(ORDINAL_DASH, text, first.end);
  const secondAt = first && dash ? first.end + dash[0].length : at;
  const second = dash ? ordinalAt(text, secondAt, numbers) : undefined;
  return second
    ? { words: [...first!.words, ...say('to', first!.end, secondAt), ...second.words], end: second.end }
    : first;
}

function ordinalAt(text: string, at: number, numbers: Dialect['numbers']): Reading | undefined {
  const match = matchAt(ORDINAL, text, at);
  if (!match) return undefined;
  const end = at + match[0].length;
  return { words: say(toOrdinal(numbers.cardinal(match[1]!.replaceAll(',', ''))), at, end), end };
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
/** Denominators that make a fraction; other slashes stand between two plain numbers. */
const DENOMINATORS = new Set([2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 32, 50, 64, 100, 1000]);

function readFraction({ text }: Context, at: number, { numbers }: Dialect): Reading | undefined {
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
): Reading {
  const end = at + length;
  const isHalf = part[0] === 'one' && part[1] === 'half';
  const words = whole.length === 0 ? part : [...whole, 'and', ...(isHalf ? ['a', 'half'] : part)];
  // Below one the unit stays in the singular: "one quarter teaspoon".
  const counted = { integer: whole.length === 0 ? '1' : '2', fraction: undefined, isGrouped: false, end };
  const unit = unitAfter(text, counted);
  return { words: [...say(words, at, end), ...(unit?.words ?? [])], end: unit?.end ?? end };
}

const IDIOM = /^(?:24[/-]7|9\/11|50[/-]50)$/;

/** "24/7" and "9/11": the numbers alone. */
function slashed(
  at: number,
  written: string,
  [above, below]: readonly [string, string],
  cardinal: (digits: string) => readonly string[],
): Reading {
  const end = at + written.length;
  // Parts of a hundred and equal halves: "the 80/20 rule", "20/20 vision".
  const isIdiom = IDIOM.test(written) || above === below || Number(above) + Number(below) === 100;
  const middle = isIdiom ? [] : ['over'];
  return { words: say([...cardinal(above), ...middle, ...cardinal(below)], at, end), end };
}

function fractionWords(
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

/** "the 2019/20 season": the year and the one after it. */
function readSeason({ text }: Context, at: number, { numbers }: Dialect): Reading | undefined {
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

/** "rated 4.5/5", "9/10 stars": so many out of so many. */
function readScore({ text, previous }: Context, at: number, { numbers }: Dialect): Reading | undefined {
  const match = matchAt(SCORE, text, at);
  if (!match) return undefined;
  const [written, score, best] = match;
  const end = at + written.length;
  const isScore = score!.includes('.') || SCORED_BEFORE.test(previous) || matchAt(SCORED_NEXT, text, end);
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

const SIZE = /(\d{1,5}(?:\.\d{1,3})?)\s?[x×]\s?(?=\d)/uy;

/** 3x4, 1920×1080, 2 x 4 x 8. */
function readSize({ text, previous }: Context, at: number, { numbers }: Dialect): Reading | undefined {
  // "3 × 4 = 12" is a product.
  if (/[=+≈]|[x×]\s?10\^/.test(text.slice(Math.max(0, at - 8), at + 20))) return undefined;
  const words: Word[] = [];
  let position = at;
  for (let match = matchAt(SIZE, text, position); match; match = matchAt(SIZE, text, position)) {
    const numeral = numeralAt(text, position);
    if (!numeral || words.length > 12) break;
    words.push(...say(sideWords(numeral, numbers), position, numeral.end));
    const end = position + match[0].length;
    words.push(...say('by', numeral.end, end));
    position = end;
  }
  const last = numeralAt(text, position);
  if (words.length === 0 || !last) return undefined;
  words.push(...say(sideWords(last, numbers), position, last.end));
  const unit = unitAfter(text, last, isArticle(previous));
  return { words: [...words, ...(unit?.words ?? [])], end: unit?.end ?? last.end };
}

function sideWords(numeral: Numeral, numbers: Dialect['numbers']): readonly string[] {
  const isPaired = numeral.integer.length === 4 && numeral.fraction === undefined && !numeral.isGrouped;
  return isPaired && numeral.integer >= '1000' && !numeral.integer.endsWith('00')
    ? pairedWords(numeral.integer)
    : numeralWords(numeral, numbers);
}

const RANGE_DASH = /\s?–\s?(?=[\d.])|-(?=\d)|\s-\s(?=\d)/uy;
const SHORT_YEAR = /\d{2}(?![\d,.]\d|\d)/y;

/** One number, or two with a dash between them, which is said "to". */
function readNumberOrRange(context: Context, at: number, dialect: Dialect): Reading | undefined {
  const { text } = context;
  const first = numeralAt(text, at);
  if (!first) return undefined;
  const words = say(countWords(first, context, dialect), at, first.end);
  const dash = matchAt(RANGE_DASH, text, first.end);
  const secondAt = first.end + (dash?.[0].length ?? 0);
  const second = dash ? numeralAt(text, secondAt) : undefined;
  // 737-800-12 and 3-4-5 are codes or scores, not ranges; a letter makes a code as well.
  if (!second || /[-–]\d|^\p{L}/u.test(text.slice(second.end, second.end + 2))) {
    return { words, end: first.end };
  }
  // "5 - 3 = 2" is a sum.
  if (dash![0] === ' - ' && /^\s?=/.test(text.slice(second.end, second.end + 2))) {
    return { words, end: first.end };
  }
  const isShortYear =
    isYearLike(first) && second.integer.length === 2 && !!matchAt(SHORT_YEAR, text, secondAt);
  const isIdiom = IDIOM.test(text.slice(at, second.end));
  const isYears = isYearLike(first) && (isYearLike(second) || isShortYear);
  const head = isYears ? dialect.numbers.year(first.integer) : countWords(first, context, dialect);
  const tail = isYears ? dialect.numbers.year(second.integer) : countWords(second, context, dialect);
  return {
    words: [
      ...say(head, at, first.end),
      ...(isIdiom ? [] : say('to', first.end, secondAt)),
      ...say(tail, secondAt, second.end),
    ],
    end: second.end,
  };
}

/** Nouns whose number is a name, said in pairs: "room two oh four". */
const NAMED_BY_NUMBER = new Set(
  (
    'room flight highway route suite apartment apt apt. extension ext ext. interstate bus gate i us sr unit train boeing ' +
    'building box error status http form rfc iso model'
  ).split(' '),
);
/** Nouns whose number is said figure by figure. */
const SAID_BY_FIGURES = new Set([
  'zip',
  'zipcode',
  'postcode',
  'pin',
  'code',
  'passcode',
  'password',
  'account',
]);
const NAMED_NEXT = /\s(?:error|errors|page|response|status)(?!\p{L})/uy;
const STREET_NEXT =
  /\s(?:[NSEW]\.?\s)?(?:(?:\p{Lu}[\p{L}'.]{1,20}|\d{1,3}(?:st|nd|rd|th))\s){1,3}(?:Street|St|Avenue|Ave|Road|Rd|Drive|Dr|Lane|Ln|Boulevard|Blvd|Court|Place|Terrace|Parkway|Way|Square)(?!\p{L})/uy;
const BEFORE_YEAR = new Set(
  (
    'in since by until till from during year years early late mid circa c ca ca. before after around of and to ' +
    'spring summer autumn fall winter january february march april may june july august september october ' +
    'november december jan jan. feb feb. mar. apr. jun. jul. aug aug. sep. sept sept. oct oct. nov nov. dec dec.'
  ).split(' '),
);
const PLURAL_NOUN_NEXT =
  /\s(?:people|men|women|children|[a-z]{3,}(?<!i|u|s|thi|wa|ha|alway|thu|plu|perhap)s)(?![\p{L}'])/uy;
const ERA_NEXT = /\s?(?:BCE?|CE|AD)(?!\p{L})/uy;

/** How a number is said where it stands: as a year, in pairs, figure by figure or as a count. */
function countWords(numeral: Numeral, context: Context, { numbers }: Dialect): readonly string[] {
  const { integer, fraction, isGrouped } = numeral;
  if (fraction !== undefined || isGrouped) return numeralWords(numeral, numbers);
  const previous = context.previous.toLowerCase();
  if (integer.length > 1 && integer.startsWith('0')) return numbers.digits(integer);
  if (integer.length === 5 && /^[A-Z]{2}$/.test(context.previous)) return numbers.digits(integer);
  if (isSaidByFigures(numeral, context)) return numbers.digits(integer);
  if (isName(numeral, context)) return nameWords(integer, numbers);
  const isEra = !!matchAt(ERA_NEXT, context.text, numeral.end);
  if (integer.length === 4 && (isYearLike(numeral) || (integer < '1100' && (isEra || previous === 'in')))) {
    const isCount = !BEFORE_YEAR.has(previous) || /^(?:of|and|to|around|from|by)$/.test(previous);
    const isCounting = isCount && !isEra && !!matchAt(PLURAL_NOUN_NEXT, context.text, numeral.end);
    return isCounting && !integer.endsWith('00') ? numbers.cardinal(integer) : numbers.year(integer);
  }
  const isCode = integer.length >= 10 || (integer.length >= 8 && !integer.endsWith('000'));
  return isCode ? numbers.digits(integer) : numbers.cardinal(integer);
}

/** "My PIN is 4071", "order #12345". */
function isSaidByFigures({ integer, end }: Numeral, { text, previous, beforePrevious }: Context): boolean {
  if (integer.length < 4) return false;
  const noun = /^(?:is|was|number|no\.)$/i.test(previous) ? beforePrevious : previous;
  return SAID_BY_FIGURES.has(noun.toLowerCase()) || (integer.length > 4 && text[end - integer.length - 1] === '#');
}

/** House, room and flight numbers and the like, said in pairs: "742 Evergreen Terrace", "BA 2490", "a 404 error". */
function isName(numeral: Numeral, { text, previous }: Context): boolean {
  const { integer, end } = numeral;
  if (integer.length !== 3 && integer.length !== 4) return false;
  if (NAMED_BY_NUMBER.has(previous.toLowerCase()) || matchAt(STREET_NEXT, text, end)) return true;
  if (integer.length === 3) return integer[1] === '0' && matchAt(NAMED_NEXT, text, end) !== null;
  return /^[A-Z]{2}$/.test(previous) && text[end - integer.length - 1] === ' ' && !isYearLike(numeral);
}

function nameWords(integer: string, numbers: Dialect['numbers']): readonly string[] {
  if (!integer.endsWith('00')) return pairedWords(integer);
  return integer.length === 4 ? numbers.year(integer) : numbers.cardinal(integer);
}
