import { matchAt } from '../../match-at.ts';
import { say, type Verbalization, type VerbalizationContext } from '../verbalization.ts';

const DAY = '(?:Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)';
const DAY_NAME = new RegExp(`${DAY}(\\.?)(?![\\p{L}\\d'])`, 'uy');
const ONLY_DAY = new RegExp(`^${DAY}\\.?$`, 'u');
const ANOTHER_DAY = new RegExp(`\\s?(?:[-–,/&]|to|and|through)\\s?${DAY}(?!\\p{L})`, 'uy');
const DATE_NEXT = /,?\s(?:the\s)?(?:\d|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)/y;
const DASH = /\s?[-–]\s?/uy;
const GOES_ON = /\s\p{Ll}|,/uy;
const BEFORE_DAY = /^(?:on|from|until|by|next|this|every|last|before|after)$/i;
const WEEKDAYS: Readonly<Record<string, string>> = {
  ...{ Mon: 'Monday', Tue: 'Tuesday', Wed: 'Wednesday', Thu: 'Thursday', Fri: 'Friday', Sat: 'Saturday' },
  ...{ Sun: 'Sunday' },
};

/** Abbreviated weekdays next to a date or another weekday: "Mon–Fri", "Sat., Mar. 9th", "Sun, 3 Mar". */
export function verbalizeWeekday(
  { text, previous, beforePrevious }: VerbalizationContext,
  at: number,
): Verbalization | undefined {
  const match = matchAt(DAY_NAME, text, at);
  if (!match) return undefined;
  const end = at + match[0].length;
  const isBeforeDay = matchAt(ANOTHER_DAY, text, end) !== null;
  const before = /^(?:and|or|to|through)$/.test(previous) ? beforePrevious : previous;
  const isAfterDay = ONLY_DAY.test(before);
  // "on Sat. at noon", but "the Sun. It is warm".
  const isAnnounced = match[1] === '.' && BEFORE_DAY.test(previous) && !!matchAt(GOES_ON, text, end);
  if (!isBeforeDay && !isAfterDay && !isAnnounced && !matchAt(DATE_NEXT, text, end)) return undefined;
  const words = say(WEEKDAYS[match[0].slice(0, 3)]!, at, end);
  const dash = isBeforeDay ? matchAt(DASH, text, end) : null;
  if (!dash) return { words, end };
  const dashEnd = end + dash[0].length;
  return { words: [...words, ...say('to', end, dashEnd)], end: dashEnd };
}
