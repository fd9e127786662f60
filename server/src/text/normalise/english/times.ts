import { matchAt } from '../../match-at.ts';
import { pairWords } from '../numbers/en.ts';
import {
  canSentenceEndAt,
  say,
  spell,
  type Verbalization,
  type VerbalizationContext,
  type VerbalizationRule,
  type VerbalizedWord,
} from '../verbalization.ts';
import type { Dialect } from './dialect.ts';

/** Times of day, time ranges and ratios: 3:05 p.m., 14:30, 9–5 pm, 16:9. */
export function timeRules(dialect: Dialect): VerbalizationRule[] {
  return [
    verbalizeMilitaryTime,
    (context, at) => verbalizeTimeOrRange(context, at, dialect),
    (context, at) => verbalizeDuration(context, at, dialect),
    (context, at) => verbalizeRatio(context, at, dialect),
  ];
}

const CLOCK = /([01]?\d|2[0-4])[:.]([0-5]\d)(?::([0-5]\d)(?:\.\d{1,6})?)?(?![\d:]|\.\d|,\d|%)/y;
const HOUR_RANGE = /(1[0-2]|[1-9])\s?[–-]\s?(1[0-2]|[1-9])(?=\s?[ap]\.?m)/iy;
const HALF_DAY = /\s?([ap])\.?\s?m(?![\p{L}])(\.?)/iuy;
const HOUR = /(1[0-2]|0?[1-9])(?=\s?[ap]\.?\s?m(?![\p{L}]))/iuy;
const PART_OF_DAY = /\s(?:in the (?:morning|afternoon|evening)|at night|o'clock)/y;
const RANGE = /\s?[–-]\s?(?=\d)/y;
/** The time zone of a timestamp: Z, or the offset from UTC. */
const ZONE = /\s?Z(?![\p{L}\d])|([+-])([01]\d):?([0-5]\d)(?![\p{L}\d:])/uy;

function verbalizeTimeOrRange(
  context: VerbalizationContext,
  at: number,
  dialect: Dialect,
): Verbalization | undefined {
  if (isRatio(context, at)) return undefined;
  const from = verbalizeTime(context, at, dialect) ?? verbalizeHourOfRange(context, at, dialect);
  if (!from || from.endsSentence) return from;
  const dash = matchAt(RANGE, context.text, from.end);
  const untilAt = from.end + (dash?.[0].length ?? 0);
  const until = dash ? verbalizeTime(context, untilAt, dialect) : undefined;
  return until ? { ...until, words: [...from.words, ...say('to', from.end, untilAt), ...until.words] } : from;
}

const MILITARY_TIME =
  /([01]\d|2[0-3])([0-5]\d)(?:\s?(hours|hrs\.?|h)(?![\p{L}\d])|(?=\s?(?:to|and|–|-)\s?\d{4}\s?(?:hours|hrs)(?!\p{L})))/uy;
const BEFORE_TIME = /^(?:at|by|until|till|from|before|after|since|between|around|to|and)$/i;

/** "0600 hours", "at 1430 hrs". */
function verbalizeMilitaryTime(
  { text, previous }: VerbalizationContext,
  at: number,
): Verbalization | undefined {
  const match = matchAt(MILITARY_TIME, text, at);
  if (!match) return undefined;
  const [written, hour, minute, unit] = match;
  if (!hour!.startsWith('0') && !BEFORE_TIME.test(previous)) return undefined;
  const end = at + written.length;
  const hourWords = hour === '00' ? ['zero'] : pairWords(hour!);
  const words = say([...hourWords, ...minuteWords(minute!)], at, at + 4);
  return { words: [...words, ...(unit ? say('hours', end - unit.length, end) : [])], end };
}

const HOUR_OF_RANGE = /(1[0-2]|[1-9])(?=\s?[–-]\s?(?:1[0-2]|[1-9]):[0-5]\d\s?[ap]\.?m)/iy;

/** The first hour of "10–11:30 am". */
function verbalizeHourOfRange(
  { text }: VerbalizationContext,
  at: number,
  { numbers }: Dialect,
): Verbalization | undefined {
  const hour = matchAt(HOUR_OF_RANGE, text, at)?.[0];
  return hour
    ? { words: say(numbers.cardinal(hour), at, at + hour.length), end: at + hour.length }
    : undefined;
}

function verbalizeTime(
  context: VerbalizationContext,
  at: number,
  dialect: Dialect,
): Verbalization | undefined {
  return verbalizeClock(context, at, dialect) ?? verbalizeHour(context, at, dialect);
}

function verbalizeClock(
  context: VerbalizationContext,
  at: number,
  { numbers }: Dialect,
): Verbalization | undefined {
  const { text } = context;
  const match = matchAt(CLOCK, text, at);
  if (!match) return undefined;
  const [written, hour, minute, second] = match;
  const end = at + written.length;
  const halfDay = matchAt(HALF_DAY, text, end);
  // With a point it is a decimal number, unless a.m. or p.m. follows.
  if (written[hour!.length] === '.' && !halfDay) return undefined;
  const h = Number(hour);
  const isExact = minute === '00' && Number(second ?? 0) === 0;
  const needsOclock = isExact && !halfDay && !matchAt(PART_OF_DAY, text, end);
  const hourWords = needsOclock ? numbers.time(h, 0) : numbers.cardinal(String(h));
  const words = say(isExact ? hourWords : [...hourWords, ...minuteWords(minute!)], at, end);
  if (second !== undefined && Number(second) > 0) {
    words.push(...say(['and', ...numbers.cardinal(String(Number(second))), 'seconds'], at, end));
  }
  return withHalfDay(context, words, end, numbers);
}

function minuteWords(minute: string): readonly string[] {
  return minute === '00' ? ['hundred'] : pairWords(minute);
}

/** "8 a.m.", "9-11 pm". */
function verbalizeHour(
  context: VerbalizationContext,
  at: number,
  { numbers }: Dialect,
): Verbalization | undefined {
  const { text } = context;
  const range = matchAt(HOUR_RANGE, text, at);
  const match = range ?? matchAt(HOUR, text, at);
  if (!match) return undefined;
  const [written, hour, until] = match;
  const end = at + written.length;
  const words = say(numbers.cardinal(String(Number(hour))), at, range ? at + hour!.length : end);
  if (range) {
    const untilAt = end - until!.length;
    words.push(...say('to', at + hour!.length, untilAt), ...say(numbers.cardinal(until!), untilAt, end));
  }
  return withHalfDay(context, words, end, numbers);
}

/** Adds a following a.m., p.m. or time zone. */
function withHalfDay(
  context: VerbalizationContext,
  time: readonly VerbalizedWord[],
  at: number,
  numbers: Dialect['numbers'],
): Verbalization {
  const { text } = context;
  const halfDay = matchAt(HALF_DAY, text, at);
  if (halfDay) {
    const [written, letter, stop] = halfDay;
    const start = at + (written.startsWith(' ') ? 1 : 0);
    const end = at + written.length;
    const words = [...time, ...spell(`${letter}m`, start, end)];
    return stop === '.' && closesSentence(context, end) ? { words, end, endsSentence: true } : { words, end };
  }
  const zone = matchAt(ZONE, text, at);
  // Outside of a timestamp, a minus is the dash of a range: 9:30-11:15.
  if (!zone || (zone[1] && text[time[0]!.start - 1] !== 'T')) return { words: time, end: at };
  const end = at + zone[0].length;
  const [, sign, hours, minutes] = zone;
  const words = [...time, ...spell('UTC', at, end)];
  if (sign === undefined) return { words, end };
  return { words: [...words, ...say(offsetWords(sign, hours!, minutes!, numbers), at, end)], end };
}

/** The offset of a time zone: "plus five thirty". */
function offsetWords(
  sign: string,
  hours: string,
  minutes: string,
  numbers: Dialect['numbers'],
): readonly string[] {
  const head = [sign === '-' ? 'minus' : 'plus', ...numbers.cardinal(String(Number(hours)))];
  return minutes === '00' ? head : [...head, ...pairWords(minutes)];
}

const ZONE_OFFSET = /(UTC|GMT)([+-])(\d{1,2})(?::([0-5]\d))?(?![\p{L}\d])/uy;

/** "UTC-5", "GMT+5:30". */
export function zoneRule({ numbers }: Dialect): VerbalizationRule {
  return ({ text }, at) => {
    const match = matchAt(ZONE_OFFSET, text, at);
    if (!match) return undefined;
    const [written, name, sign, hours, minutes] = match;
    const end = at + written.length;
    const offset = offsetWords(sign!, hours!, minutes ?? '00', numbers);
    return { words: [...spell(name!, at, at + 3), ...say(offset, at + 3, end)], end };
  };
}

const GOES_ON =
  /\s?(?:I(?!\p{L})|[A-Z]{2,4}(?!\p{L})|\d|\(|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:January|February|March|April|May|June|July|August|September|October|November|December|Eastern|Pacific|Central|Mountain|Greenwich)(?!\p{L}))/uy;
const OPENS_WITH_TIME = /^(?:At|By|Around|Before|After|Since|Until|From)$/;

/** Whether the full stop of "p.m." also ends the sentence: at the end of the text, or before a new sentence. */
function closesSentence({ text, previous, beforePrevious }: VerbalizationContext, at: number): boolean {
  if (at >= text.length) return true;
  // "At 2 a.m. Sarah woke up."
  if (beforePrevious === '' && OPENS_WITH_TIME.test(previous)) return false;
  return /[\s”)]/.test(text[at]!) && canSentenceEndAt(text, at) && !matchAt(GOES_ON, text, at);
}

const DURATION = /(\d{1,3}):([0-5]\d)(?:\.(\d{1,3}))?(?![\d:]|\.\d)/y;

/** Durations in minutes and seconds: 47:32, 3:45.67. */
function verbalizeDuration(
  context: VerbalizationContext,
  at: number,
  { numbers }: Dialect,
): Verbalization | undefined {
  const match = isRatio(context, at) ? null : matchAt(DURATION, context.text, at);
  if (!match) return undefined;
  const [written, minutes, seconds, fraction] = match;
  const end = at + written.length;
  const tail = fraction === undefined ? [] : ['point', ...numbers.digits(fraction)];
  const words = [...numbers.cardinal(String(Number(minutes))), ...minuteWords(seconds!), ...tail];
  return { words: say(words, at, end), end };
}

const SCALE_NEXT =
  /\d{1,5}:\d{1,5}\s(?:scale|ratio|odds|aspect|model|mix|mixture|split|dilution|replica)(?!\p{L})/uy;
const SCALE_BEFORE = /^(?:scale|ratio|odds|proportion)$/i;

/** "a 1:50 scale", "a ratio of 1:20" are no times of day. */
function isRatio({ text, previous, beforePrevious }: VerbalizationContext, at: number): boolean {
  const noun = /^(?:of|is|was)$/i.test(previous) ? beforePrevious : previous;
  return SCALE_BEFORE.test(noun) || matchAt(SCALE_NEXT, text, at) !== null;
}

const RATIO = /(\d{1,5}):(\d{1,5})(?![\d:]|\.\d)/y;

function verbalizeRatio(
  { text }: VerbalizationContext,
  at: number,
  { numbers }: Dialect,
): Verbalization | undefined {
  const match = matchAt(RATIO, text, at);
  if (!match) return undefined;
  const [written, first, second] = match;
  const end = at + written.length;
  const middle = at + first!.length;
  return {
    words: [
      ...say(numbers.cardinal(first!), at, middle),
      ...say('to', middle, middle + 1),
      ...say(numbers.cardinal(second!), middle + 1, end),
    ],
    end,
  };
}
