import { matchAt } from '../../match-at.ts';
import { englishMonth, toOrdinal } from '../numbers/en.ts';
import type { CalendarDate } from '../numbers/number-verbalizer.ts';
import {
  addPauseAfter,
  say,
  type Verbalization,
  type VerbalizationContext,
  type VerbalizationRule,
  type VerbalizedWord,
} from '../verbalization.ts';
import type { Dialect } from './dialect.ts';

/** Dates that begin with a digit: 2024-03-14, 3/14/2024, 14.03.2024, 14 March 2024. */
export function numericDateRules(dialect: Dialect): VerbalizationRule[] {
  return [
    (context, at) => verbalizeIsoDate(context, at, dialect),
    (context, at) => verbalizeNumericDate(context, at, dialect),
    (context, at) => verbalizeShortDate(context, at, dialect),
    (context, at) => verbalizeDayMonth(context, at, dialect),
  ];
}

/** Dates that begin with the name of a month: May 14, 1893. */
export function monthDateRule(dialect: Dialect): VerbalizationRule {
  return (context, at) => verbalizeMonthDay(context, at, dialect) ?? verbalizeMonthRange(context, at);
}

const MONTH_NAMES =
  'Jan(?:uary|\\.)?|Feb(?:ruary|\\.)?|Mar(?:ch|\\.)?|Apr(?:il|\\.)?|May|June?\\.?|July?\\.?|Aug(?:ust|\\.)?|' +
  'Sept?(?:ember|\\.)?|Oct(?:ober|\\.)?|Nov(?:ember|\\.)?|Dec(?:ember|\\.)?|' +
  // In lower case only where the name is no other word ("may", "march").
  'january|february|april|june|july|august|september|october|november|december';
const MONTH_STARTS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const ISO_DATE = /(\d{4})[-/](0[1-9]|1[0-2])[-/](0[1-9]|[12]\d|3[01])(?![\d/-])T?/y;
const TIME_NEXT = /\s\d{1,2}:\d{2}/y;
const NUMERIC_DATE = /(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?![\d]|[/.-]\d)/y;
const SHORT_DATE = /(\d{1,2})\/(\d{1,2})(?![\d/])/y;
const DAY_MONTH = new RegExp(
  `(\\d{1,2})(?:st|nd|rd|th)?(\\s(?:of\\s)?|-)(${MONTH_NAMES})(?![\\p{L}])(?:(,?\\s|-)(\\d{4})(?![\\d,]\\d|\\d))?`,
  'uy',
);
const MONTH_DAY = new RegExp(
  `(${MONTH_NAMES})(\\s)(\\d{1,2})(st|nd|rd|th)?(?!\\d|[,.:]\\d|%|\\p{L})(?:(\\s?[–-]\\s?)(\\d{1,2})(?:st|nd|rd|th)?(?![\\d:]))?(?:(,?\\s)(\\d{4})(?![\\d,]\\d|\\d))?`,
  'uy',
);
const MONTH_YEAR = new RegExp(`(${MONTH_NAMES})(,?\\s(?:of\\s)?)(\\d{4})(?![\\d]|[,.:]\\d)`, 'uy');

const MONTH_RANGE = new RegExp(`(${MONTH_NAMES})(\\s?[–-]\\s?)(${MONTH_NAMES})(?!\\p{L})`, 'uy');

/** "Jan.–Mar.". */
function verbalizeMonthRange({ text }: VerbalizationContext, at: number): Verbalization | undefined {
  const match = matchAt(MONTH_RANGE, text, at);
  if (!match) return undefined;
  const [written, first, dash, last] = match;
  const [firstEnd, end] = [at + first!.length, at + written.length];
  const lastAt = firstEnd + dash!.length;
  return {
    words: [
      ...say(englishMonth(monthNumber(first!)), at, firstEnd),
      ...say('to', firstEnd, lastAt),
      ...say(englishMonth(monthNumber(last!)), lastAt, end),
    ],
    end,
  };
}

function monthNumber(name: string): number {
  return MONTH_STARTS.indexOf(name.slice(0, 3).toLowerCase()) + 1;
}

function verbalizeIsoDate(
  context: VerbalizationContext,
  at: number,
  dialect: Dialect,
): Verbalization | undefined {
  const match = matchAt(ISO_DATE, context.text, at);
  if (!match) return undefined;
  const [written, year, month, day] = match;
  const date = { day: Number(day), month: Number(month), year: year! };
  const verbalization = verbalizeDate(date, at, written.length, context, dialect);
  const isBeforeTime = written.endsWith('T') || matchAt(TIME_NEXT, context.text, verbalization.end);
  return isBeforeTime ? { ...verbalization, words: addPauseAfter(verbalization.words) } : verbalization;
}

function verbalizeNumericDate(
  context: VerbalizationContext,
  at: number,
  dialect: Dialect,
): Verbalization | undefined {
  const match = matchAt(NUMERIC_DATE, context.text, at);
  if (!match) return undefined;
  const [written, first, separator, second, year] = match;
  // 1.2.34 is a version, 12-10-24 a code; only slashes make a date with a short year.
  if (year!.length === 2 && separator !== '/') return undefined;
  const date = orderDate(Number(first), Number(second), separator !== '.' && !dialect.isBritish);
  if (!date) return undefined;
  return verbalizeDate({ ...date, year: year! }, at, written.length, context, dialect);
}

const WEEKDAY = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}\.?$/;
const BEFORE_SHORT_DATE = new Set(['on', 'since', 'until', 'by', 'dated', 'due', 'before', 'after', 'date']);

/** "on 3/14": a date only after a preposition of time or a weekday. */
function verbalizeShortDate(
  context: VerbalizationContext,
  at: number,
  dialect: Dialect,
): Verbalization | undefined {
  const { text, previous } = context;
  if (!BEFORE_SHORT_DATE.has(previous.toLowerCase()) && !WEEKDAY.test(previous)) return undefined;
  const match = matchAt(SHORT_DATE, text, at);
  const date = match && orderDate(Number(match[1]), Number(match[2]), !dialect.isBritish);
  if (!match || !date) return undefined;
  return verbalizeDate(date, at, match[0].length, context, dialect);
}

/** British dates have an article before the day: "the third of April". */
function verbalizeDate(
  date: CalendarDate,
  at: number,
  length: number,
  { previous }: VerbalizationContext,
  { numbers, isBritish }: Dialect,
): Verbalization {
  const article = isBritish && previous.toLowerCase() !== 'the' ? ['the'] : [];
  return { words: say([...article, ...numbers.date(date)], at, at + length), end: at + length };
}

function orderDate(
  first: number,
  second: number,
  monthFirst: boolean,
): { day: number; month: number } | undefined {
  const [month, day] = monthFirst === first <= 12 || second > 12 ? [first, second] : [second, first];
  if (month >= 1 && month <= 12 && day >= 1 && day <= 31) return { day, month };
  return day >= 1 && day <= 12 && month >= 1 && month <= 31 ? { day: month, month: day } : undefined;
}

function verbalizeDayMonth(
  { text, previous }: VerbalizationContext,
  at: number,
  dialect: Dialect,
): Verbalization | undefined {
  const match = matchAt(DAY_MONTH, text, at);
  if (!match) return undefined;
  const [written, day, join, name, yearJoin, year] = match;
  if (Number(day) < 1 || Number(day) > 31) return undefined;
  const { numbers, isBritish } = dialect;
  const dayEnd = at + written.indexOf(join!);
  const monthAt = dayEnd + join!.length;
  const monthEnd = monthAt + name!.length;
  const isOrdinal = dayEnd - at > day!.length;
  const asOrdinal = isOrdinal || isBritish;
  const words: VerbalizedWord[] = [];
  if (isBritish && !isOrdinal && previous.toLowerCase() !== 'the') words.push(...say('the', at, dayEnd));
  words.push(
    ...say(
      asOrdinal ? toOrdinal(numbers.cardinal(stripZero(day!))) : numbers.cardinal(stripZero(day!)),
      at,
      dayEnd,
    ),
  );
  if (join!.includes('of')) words.push(...say('of', dayEnd, monthAt));
  else if (asOrdinal && isBritish) words.push(...say('of', at, dayEnd));
  words.push(...say(englishMonth(monthNumber(name!)), monthAt, monthEnd));
  if (year === undefined) return { words, end: monthEnd };
  const yearAt = monthEnd + yearJoin!.length;
  words.push(...say(numbers.year(year), yearAt, yearAt + 4));
  return { words, end: yearAt + 4 };
}

/** "May" and "March" are also verbs: they are dates only in the context of a date. */
const WORD_MONTH = /^(?:May|March|Mar\.?)$/;
const AFTER_DATE =
  /\s?(?:$|[,.;:!?)”–—-]|(?:and|at|in|on|to|through|the|with|for|from|is|was|will|as|by|or|until|when|but|of|this|that|because|after|before|came|were|has|had|we|they|he|she|it|I|you)(?![\p{L}]))/uy;

function verbalizeMonthDay(
  { text }: VerbalizationContext,
  at: number,
  { numbers }: Dialect,
): Verbalization | undefined {
  const match = matchAt(MONTH_DAY, text, at);
  if (!match || Number(match[3]) < 1 || Number(match[3]) > 31) return verbalizeMonthYear(text, at, numbers);
  const [written, name, join, day, suffix, dash, lastDay, yearJoin, year] = match;
  const end = at + written.length;
  if (WORD_MONTH.test(name!) && !suffix && !year && !matchAt(AFTER_DATE, text, end)) return undefined;
  const monthEnd = at + name!.length;
  const dayAt = monthEnd + join!.length;
  let dayEnd = dayAt + day!.length + (suffix?.length ?? 0);
  const words = say(englishMonth(monthNumber(name!)), at, monthEnd);
  words.push(...say(toOrdinal(numbers.cardinal(stripZero(day!))), dayAt, dayEnd));
  if (dash !== undefined && lastDay !== undefined) {
    const lastAt = dayEnd + dash.length;
    const lastEnd = end - (yearJoin === undefined ? 0 : yearJoin.length + 4);
    words.push(
      ...say('to', dayEnd, lastAt),
      ...say(toOrdinal(numbers.cardinal(stripZero(lastDay))), lastAt, lastEnd),
    );
    dayEnd = lastEnd;
  }
  if (year === undefined) return { words, end: dayEnd };
  const monthAndDay = yearJoin!.startsWith(',') ? addPauseAfter(words) : words;
  return { words: [...monthAndDay, ...say(numbers.year(year), end - 4, end)], end };
}

function verbalizeMonthYear(
  text: string,
  at: number,
  numbers: Dialect['numbers'],
): Verbalization | undefined {
  const match = matchAt(MONTH_YEAR, text, at);
  if (!match || match[3]! < '1000' || match[3]! >= '2200') return undefined;
  const [written, name, join, year] = match;
  const monthEnd = at + name!.length;
  const end = at + written.length;
  const words = say(englishMonth(monthNumber(name!)), at, monthEnd);
  if (join!.includes('of')) words.push(...say('of', monthEnd, end - 4));
  words.push(...say(numbers.year(year!), end - 4, end));
  return { words, end };
}

function stripZero(digits: string): string {
  return digits.replace(/^0(?=\d)/, '');
}
