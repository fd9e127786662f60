import { matchAt } from '../../match-at.ts';
import { americanNumbers } from '../numbers/en.ts';
import { ENGLISH_UNIT_SYMBOLS, englishPer, englishUnit } from '../numbers/en-units.ts';
import {
  say,
  type Verbalization,
  type VerbalizationContext,
  type VerbalizationRule,
  type VerbalizedWord,
} from '../verbalization.ts';
import type { Dialect } from './dialect.ts';
import { type EnglishNumeral, isOne, numeralAt, numeralWords } from './numerals.ts';

/** Numbers and ranges with a unit or a percent sign: 5 km, 10–20%, 60 mph, 5'10". */
export function measureRules(dialect: Dialect): VerbalizationRule[] {
  return [
    (context, at) => verbalizeFeetAndInches(context, at, dialect),
    (context, at) => verbalizeHoursAndMinutes(context, at, dialect),
    (context, at) => verbalizeMeasure(context, at, dialect),
  ];
}

const escaped = ENGLISH_UNIT_SYMBOLS.map((symbol) => symbol.replace(/[.]/g, '\\.')).join('|');
const UNIT = new RegExp(
  `(\\s|-)?((?:${escaped})[²³]?(?:\\/(?:kWh|[a-zA-Z]{1,5}[²³]?))?)(?![\\p{L}\\d²³]|[-'](?=\\p{L}))(\\.(?=\\s[a-z]|,))?`,
  'uy',
);
/** "5M users": a letter for a large number, before the counted noun. */
const SCALE_LETTER = /(?:[kKMB]|bn|mn)(?=\s(?:people|\p{Ll}{3,}s)(?!\p{L}))/uy;
const SCALE_LETTERS: Readonly<Record<string, string>> = {
  ...{ k: 'thousand', m: 'million', mn: 'million', b: 'billion', bn: 'billion' },
};
const PERCENT = /\s?(%|‰)/uy;
const SCALE = /\s(thousand|million|billion|trillion)(?!\p{L})/uy;
const DASH = /\s?[–-]\s?(?=\d)/uy;
const RANGE = /\s?[–-]\s?(?=\d)|\sto\s(?=\d)/uy;
const FEET_AND_INCHES =
  /(\d{1,2})'\s?(\d{1,2})(?:["”]|'')|(\d{1,2})\s?(?:ft|feet)\.?,?\s(\d{1,2})\s?in(?:ches)?(?!\p{L})(?:\.(?=\s[a-z]|,))?/uy;
const TIMES =
  /×(?![\p{L}\d])|x(?=\s(?:faster|slower|more|better|higher|larger|bigger|smaller|cheaper|longer|as|the|that)(?!\p{L}))/uy;
const PER = /\/([a-z]{1,6})(?![\p{L}\d/])/uy;

/** A noun that the measure or amount describes. */
export const NOUN_NEXT =
  /\s(?!(?:in|on|at|of|to|and|or|from|for|with|by|is|was|are|were|than|per|as|away|long|wide|high|tall|deep|above|below|over|under|before|after|each|every|ago|later|earlier|but|that|which|when|into|between|we|he|she|it|they|you)(?!\p{L}))\p{Ll}/uy;

/** Symbols that are also words: units only without a space after the number. */
const ALSO_WORDS = new Set(['in', 'pt', 'mo', 'bar', 'cal', 'ct']);

function verbalizeFeetAndInches(
  { text }: VerbalizationContext,
  at: number,
  { numbers }: Dialect,
): Verbalization | undefined {
  const match = matchAt(FEET_AND_INCHES, text, at);
  if (!match) return undefined;
  const end = at + match[0].length;
  const [, feet, inches, spelledFeet, spelledInches] = match;
  const words = feet
    ? [...numbers.cardinal(feet), 'foot', ...numbers.cardinal(inches!)]
    : [...numbers.cardinal(spelledFeet!), 'feet', ...numbers.cardinal(spelledInches!), 'inches'];
  return { words: say(words, at, end), end };
}

const HOURS_AND_MINUTES = /(\d{1,3})h\s?([0-5]?\d)(?:m|min)?(?![\p{L}\d])/uy;

/** 2h30m, 1h 20min. */
function verbalizeHoursAndMinutes(
  { text }: VerbalizationContext,
  at: number,
  { numbers }: Dialect,
): Verbalization | undefined {
  const match = matchAt(HOURS_AND_MINUTES, text, at);
  if (!match) return undefined;
  const end = at + match[0].length;
  const [hours, minutes] = [String(Number(match[1])), String(Number(match[2]))];
  const words = [
    ...[...numbers.cardinal(hours), hours === '1' ? 'hour' : 'hours'],
    ...[...numbers.cardinal(minutes), minutes === '1' ? 'minute' : 'minutes'],
  ];
  return { words: say(words, at, end), end };
}

function verbalizeMeasure(
  context: VerbalizationContext,
  at: number,
  { numbers }: Dialect,
): Verbalization | undefined {
  const { text } = context;
  const first = numeralAt(text, at);
  if (!first) return undefined;
  const dash = matchAt(RANGE, text, first.end);
  const secondAt = first.end + (dash?.[0].length ?? 0);
  const second = dash ? numeralAt(text, secondAt) : undefined;
  const measured = second ?? first;
  const tail = unitAfter(text, measured, isArticle(context.previous));
  if (!tail) return undefined;
  const words: VerbalizedWord[] = say(numeralWords(first, numbers), at, first.end);
  if (second) {
    // "5 km to 10 km" repeats its unit; here the first number has no unit.
    words.push(
      ...say('to', first.end, secondAt),
      ...say(numeralWords(second, numbers), secondAt, second.end),
    );
  }
  const measure = { words: [...words, ...tail.words], end: tail.end };
  return second ? measure : withRangeEnd(withOtherSides(measure, context, numbers), context, numbers);
}

const BY = /\s?[x×]\s?(?=\d)/uy;
const SIDES_MAX = 4;

/** "12 ft × 10 ft": each side has a unit. */
function withOtherSides(
  measure: Verbalization,
  { text }: VerbalizationContext,
  numbers: Dialect['numbers'],
): Verbalization {
  let { words, end } = measure;
  for (let sides = 1; sides < SIDES_MAX; sides++) {
    const by = matchAt(BY, text, end);
    const sideAt = end + (by?.[0].length ?? 0);
    const side = by ? numeralAt(text, sideAt) : undefined;
    const unit = side && unitAfter(text, side);
    if (!unit) break;
    const sideWords = say(numeralWords(side, numbers), sideAt, side.end);
    words = [...words, ...say('by', end, sideAt), ...sideWords, ...unit.words];
    end = unit.end;
  }
  return { words, end };
}

/** "5%–6%": both ends of the range have a unit. */
function withRangeEnd(
  measure: Verbalization,
  { text }: VerbalizationContext,
  numbers: Dialect['numbers'],
): Verbalization {
  const dash = matchAt(DASH, text, measure.end);
  const secondAt = measure.end + (dash?.[0].length ?? 0);
  const second = dash ? numeralAt(text, secondAt) : undefined;
  const unit = second && unitAfter(text, second);
  if (!unit) return measure;
  const tail = [...say(numeralWords(second, numbers), secondAt, second.end), ...unit.words];
  return { words: [...measure.words, ...say('to', measure.end, secondAt), ...tail], end: unit.end };
}

/** Whether a word makes the following measure an attribute: "a 5 km run". */
export function isArticle(word: string): boolean {
  return /^(?:an?|the)$/i.test(word);
}

/** Whether the mark at `at` closes a quotation and does not denote inches. */
function isQuoteOpen(text: string, at: number): boolean {
  return text.lastIndexOf('“', at) > text.lastIndexOf('”', at - 1);
}

const PER_CHAIN =
  /\s?\/\s?(?:(\d{1,4})\s?)?([a-zA-Zμ]{1,6}[²³]?)(?![\p{L}\d/²³^]|\.\d)|\/([a-zA-Zμ]{1,6}[²³]?)(?=\/[a-zA-Z])/uy;
const PER_MAX = 3;

/** Denominators after a unit or a percent sign: "μg/kg/min", "%/yr", "L/100 km". */
function withDenominators(measure: Verbalization, text: string): Verbalization {
  let { words, end } = measure;
  for (let count = 0; count < PER_MAX; count++) {
    const match = matchAt(PER_CHAIN, text, end);
    if (!match) break;
    const [written, number, symbol, inner] = match;
    const name = number ? englishUnit(symbol!, number !== '1') : englishPer((symbol ?? inner)!);
    if (!name) break;
    const amount = number ? [...americanNumbers.cardinal(number), ...name.split(' ')] : name.split(' ');
    words = [...words, ...say(['per', ...amount], end, end + written.length)];
    end += written.length;
  }
  return { words, end };
}

/** The unit or percent sign after a number. */
export function unitAfter(
  text: string,
  numeral: EnglishNumeral,
  afterArticle = false,
): Verbalization | undefined {
  const unit = simpleUnitAfter(text, numeral, afterArticle);
  return unit && withDenominators(unit, text);
}

/** Words around "bps" that make it a unit of interest rates. */
const ABOUT_RATES =
  /\b(?:rates?|yields?|hikes?|spreads?|fed|ecb|bonds?|inflation|margins?|mortgages?|basis|treasur)/i;

function simpleUnitAfter(
  text: string,
  numeral: EnglishNumeral,
  afterArticle: boolean,
): Verbalization | undefined {
  const percent = matchAt(PERCENT, text, numeral.end);
  if (percent) {
    const end = numeral.end + percent[0].length;
    return { words: say(percent[1] === '%' ? 'percent' : 'per mille', end - 1, end), end };
  }
  if (text[numeral.end] === '”' && !isQuoteOpen(text, numeral.end)) {
    const end = numeral.end + 1;
    const isAdjective = afterArticle && matchAt(NOUN_NEXT, text, end) !== null;
    return { words: say(isOne(numeral) || isAdjective ? 'inch' : 'inches', numeral.end, end), end };
  }
  const thousands = matchAt(SCALE_LETTER, text, numeral.end);
  if (thousands) {
    const end = numeral.end + thousands[0].length;
    return { words: say(SCALE_LETTERS[thousands[0].toLowerCase()]!, numeral.end, end), end };
  }
  const scale = matchAt(SCALE, text, numeral.end);
  const unitAt = numeral.end + (scale?.[0].length ?? 0);
  if (!scale && matchAt(TIMES, text, unitAt))
    return { words: say('times', unitAt, unitAt + 1), end: unitAt + 1 };
  const per = matchAt(PER, text, unitAt);
  const perName = per && englishPer(per[1]!);
  if (perName)
    return { words: say(`per ${perName}`, unitAt, unitAt + per[0].length), end: unitAt + per[0].length };
  const match = matchAt(UNIT, text, unitAt);
  if (!match) return undefined;
  const [written, join, symbol] = match;
  const hasStop = text[unitAt + written.length] === '.' || written.endsWith('.');
  if (join !== undefined && ALSO_WORDS.has(symbol!) && !(symbol === 'in' && hasStop)) return undefined;
  // The unit of an attribute is singular: "a 5-km run", "the 512 GB model".
  const isAdjective =
    join === '-' || (afterArticle && matchAt(NOUN_NEXT, text, unitAt + written.length) !== null);
  const isPlural = !isAdjective && (scale !== null || !isOne(numeral));
  const isRate = symbol === 'bps' && ABOUT_RATES.test(text.slice(Math.max(0, unitAt - 60), unitAt + 40));
  const name = isRate ? `basis point${isPlural ? 's' : ''}` : englishUnit(symbol!, isPlural);
  if (!name) return undefined;
  const start = unitAt + (join?.length ?? 0);
  const end = unitAt + written.length;
  const scaleWords = scale ? say(scale[1]!, numeral.end + 1, unitAt) : [];
  return { words: [...scaleWords, ...say(name, start, end)], end };
}
