import { matchAt } from '../../match-at.ts';
import { pairedWords, pairWords, toOrdinal } from '../numbers/en.ts';
import {
  say,
  type Verbalization,
  type VerbalizationContext,
  type VerbalizationRule,
  type VerbalizedWord,
} from '../verbalization.ts';
import type { Dialect } from './dialect.ts';
import { fractionRules, IDIOM } from './fractions.ts';
import { isArticle, unitAfter } from './measures.ts';
import { type EnglishNumeral, isYearLike, numeralAt, numeralWords } from './numerals.ts';

/** Numbers that are identified by their notation: decades, ordinals, fractions and dimensions. */
export function markedNumberRules(dialect: Dialect): VerbalizationRule[] {
  return [
    (context, at) => verbalizeDecadeOrRange(context, at, dialect),
    (context, at) => verbalizeScientific(context, at, dialect),
    verbalizeEarlyYear,
    (context, at) => verbalizeOrdinal(context, at, dialect),
    ...fractionRules(dialect),
    (context, at) => verbalizeDimensions(context, at, dialect),
  ];
}

/** Numbers without a special notation: quantities, years, and ranges. */
export function plainNumberRule(dialect: Dialect): VerbalizationRule {
  return (context, at) => verbalizeNumberOrRange(context, at, dialect);
}

const DECADE = /'?(\d{2})?(\d0)(?:'s|s)(?![\p{L}\d])/uy;

/** "the 1920s–30s": both decades, with "to" between them. */
function verbalizeDecadeOrRange(
  { text }: VerbalizationContext,
  at: number,
  { numbers }: Dialect,
): Verbalization | undefined {
  const first = verbalizeDecade(text, at, numbers);
  const dash = first && matchAt(ORDINAL_DASH, text, first.end);
  const secondAt = first && dash ? first.end + dash[0].length : at;
  const second = dash ? verbalizeDecade(text, secondAt, numbers) : undefined;
  if (!first || !second) return first;
  return { words: [...first.words, ...say('to', first.end, secondAt), ...second.words], end: second.end };
}

function verbalizeDecade(text: string, at: number, numbers: Dialect['numbers']): Verbalization | undefined {
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

const SCIENTIFIC = /(\d{1,12}(?:\.\d{1,12})?)[eE]([+-]?)(\d{1,3})(?![\p{L}\d])/uy;

/** 1e-5, 6.02E23. */
function verbalizeScientific(
  { text }: VerbalizationContext,
  at: number,
  { numbers }: Dialect,
): Verbalization | undefined {
  const match = matchAt(SCIENTIFIC, text, at);
  const mantissa = match ? numeralAt(match[1]!, 0) : undefined;
  if (!match || !mantissa) return undefined;
  const end = at + match[0].length;
  const exponent = [...(match[2] === '-' ? ['minus'] : []), ...numbers.cardinal(String(Number(match[3])))];
  const words = [...numeralWords(mantissa, numbers), ...'times ten to the power of'.split(' '), ...exponent];
  return { words: say(words, at, end), end };
}

const EARLY_YEAR = /'(0\d)(?![\d\p{L}'])/uy;

/** "the class of '08". */
function verbalizeEarlyYear({ text }: VerbalizationContext, at: number): Verbalization | undefined {
  const match = matchAt(EARLY_YEAR, text, at);
  return match ? { words: say(pairWords(match[1]!), at, at + 3), end: at + 3 } : undefined;
}

const ORDINAL = /(\d{1,3}(?:,\d{3}){1,4}|\d{1,12})(?:st|nd|rd|th)(?![\p{L}\d])/iuy;
const ORDINAL_DASH = /\s?[–-]\s?(?=\d)/uy;

function verbalizeOrdinal(
  { text }: VerbalizationContext,
  at: number,
  { numbers }: Dialect,
): Verbalization | undefined {
  const first = ordinalAt(text, at, numbers);
  const dash = first && matchAt(ORDINAL_DASH, text, first.end);
  const secondAt = first && dash ? first.end + dash[0].length : at;
  const second = dash ? ordinalAt(text, secondAt, numbers) : undefined;
  return second
    ? { words: [...first!.words, ...say('to', first!.end, secondAt), ...second.words], end: second.end }
    : first;
}

function ordinalAt(text: string, at: number, numbers: Dialect['numbers']): Verbalization | undefined {
  const match = matchAt(ORDINAL, text, at);
  if (!match) return undefined;
  const end = at + match[0].length;
  return { words: say(toOrdinal(numbers.cardinal(match[1]!.replaceAll(',', ''))), at, end), end };
}

const SIZE = /(\d{1,5}(?:\.\d{1,3})?)\s?[x×]\s?(?=\d)/uy;

/** 3x4, 1920×1080, 2 x 4 x 8. */
function verbalizeDimensions(
  { text, previous }: VerbalizationContext,
  at: number,
  { numbers }: Dialect,
): Verbalization | undefined {
  // "3 × 4 = 12" is a product.
  if (/[=+≈]|[x×]\s?10[\^¹²³]/.test(text.slice(Math.max(0, at - 8), at + 20))) return undefined;
  const words: VerbalizedWord[] = [];
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

function sideWords(numeral: EnglishNumeral, numbers: Dialect['numbers']): readonly string[] {
  const isPaired = numeral.integer.length === 4 && numeral.fraction === undefined && !numeral.isGrouped;
  return isPaired && numeral.integer >= '1000' && !numeral.integer.endsWith('00')
    ? pairedWords(numeral.integer)
    : numeralWords(numeral, numbers);
}

const RANGE_DASH = /\s?–\s?(?=[\d.])|-(?=\d)|\s-\s(?=\d)/uy;
const SHORT_YEAR = /\d{2}(?![\d,.]\d|\d)/y;

/** A number, or a range, whose dash is verbalized as "to". */
function verbalizeNumberOrRange(
  context: VerbalizationContext,
  at: number,
  dialect: Dialect,
): Verbalization | undefined {
  const { text } = context;
  const first = numeralAt(text, at);
  if (!first) return undefined;
  const words = say(countWords(first, context, dialect), at, first.end);
  const dash = matchAt(RANGE_DASH, text, first.end);
  const secondAt = first.end + (dash?.[0].length ?? 0);
  const second = dash ? numeralAt(text, secondAt) : undefined;
  // 737-800-12 and 3-4-5 are codes or scores, not ranges; so are numbers with letters.
  if (!second || /[-–]\d|^\p{L}/u.test(text.slice(second.end, second.end + 2))) {
    return { words, end: first.end };
  }
  // "5 - 3 = 2" is an equation.
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

/** Nouns whose number is an identifier, verbalized in pairs: "room two oh four". */
const NAMED_BY_NUMBER = new Set(
  (
    'room flight highway route suite apartment apt apt. extension ext ext. interstate bus gate i us sr unit train boeing ' +
    'building box error status http form rfc iso model'
  ).split(' '),
);
/** Nouns whose number is verbalized digit by digit. */
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

/** Verbalizes a number by its context: as a year, in pairs, digit by digit or as a quantity. */
function countWords(
  numeral: EnglishNumeral,
  context: VerbalizationContext,
  { numbers }: Dialect,
): readonly string[] {
  const { integer, fraction, isGrouped } = numeral;
  if (fraction !== undefined || isGrouped) return numeralWords(numeral, numbers);
  const previous = context.previous.toLowerCase();
  if (integer.length > 1 && integer.startsWith('0')) return numbers.digits(integer);
  if (integer.length === 5 && /^[A-Z]{2}$/.test(context.previous)) return numbers.digits(integer);
  if (isDigitSequence(numeral, context)) return numbers.digits(integer);
  if (isIdentifier(numeral, context)) return identifierWords(integer, numbers);
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
function isDigitSequence(
  { integer, end }: EnglishNumeral,
  { text, previous, beforePrevious }: VerbalizationContext,
): boolean {
  if (integer.length < 4) return false;
  const noun = /^(?:is|was|number|no\.)$/i.test(previous) ? beforePrevious : previous;
  return (
    SAID_BY_FIGURES.has(noun.toLowerCase()) || (integer.length > 4 && text[end - integer.length - 1] === '#')
  );
}

/** House, room and flight numbers, verbalized in pairs: "742 Evergreen Terrace", "BA 2490", "a 404 error". */
function isIdentifier(numeral: EnglishNumeral, { text, previous }: VerbalizationContext): boolean {
  const { integer, end } = numeral;
  if (integer.length !== 3 && integer.length !== 4) return false;
  if (NAMED_BY_NUMBER.has(previous.toLowerCase()) || matchAt(STREET_NEXT, text, end)) return true;
  if (integer.length === 3) return integer[1] === '0' && matchAt(NAMED_NEXT, text, end) !== null;
  return /^[A-Z]{2}$/.test(previous) && text[end - integer.length - 1] === ' ' && !isYearLike(numeral);
}

function identifierWords(integer: string, numbers: Dialect['numbers']): readonly string[] {
  if (!integer.endsWith('00')) return pairedWords(integer);
  return integer.length === 4 ? numbers.year(integer) : numbers.cardinal(integer);
}
