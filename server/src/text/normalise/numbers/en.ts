import { englishUnit } from './en-units.ts';
import type { CalendarDate, Currency, NumberVerbalizer } from './number-verbalizer.ts';

const ONES = [
  ...['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven'],
  ...['twelve', 'thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen'],
] as const;
const TENS = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'] as const;
const SCALES = [
  ...['', 'thousand', 'million', 'billion', 'trillion', 'quadrillion', 'quintillion', 'sextillion'],
  ...['septillion', 'octillion', 'nonillion', 'decillion'],
] as const;
const IRREGULAR_ORDINALS: Readonly<Record<string, string>> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
};
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October'],
  ...['November', 'December'],
] as const;

/** Singular and plural of the currency, and of its hundredth. */
const CURRENCY_NAMES: Readonly<Record<Currency, readonly [string, string, string?, string?]>> = {
  USD: ['dollar', 'dollars', 'cent', 'cents'],
  EUR: ['euro', 'euros', 'cent', 'cents'],
  GBP: ['pound', 'pounds', 'penny', 'pence'],
  JPY: ['yen', 'yen'],
  CNY: ['yuan', 'yuan', 'fen', 'fen'],
  INR: ['rupee', 'rupees', 'paisa', 'paise'],
  BRL: ['real', 'reals', 'centavo', 'centavos'],
  KRW: ['won', 'won'],
  CHF: ['Swiss franc', 'Swiss francs', 'centime', 'centimes'],
  MXN: ['peso', 'pesos', 'centavo', 'centavos'],
  CAD: ['Canadian dollar', 'Canadian dollars', 'cent', 'cents'],
  AUD: ['Australian dollar', 'Australian dollars', 'cent', 'cents'],
};

/** American English: no "and" in "one hundred five", month before day. */
export const americanNumbers: NumberVerbalizer = createEnglishNumbers(false);

/** British English: "one hundred and five", day before month. */
export const britishNumbers: NumberVerbalizer = createEnglishNumbers(true);

/** Two digits within a year or a time: "oh five", "twenty one". */
export function pairWords(pair: string): readonly string[] {
  if (pair === '00') return ['hundred'];
  return pair.startsWith('0') ? ['oh', ONES[Number(pair[1])]!] : belowHundred(Number(pair));
}

/** Up to four digits in pairs, as in years, room and flight numbers: "two oh four". */
export function pairedWords(digits: string): readonly string[] {
  const head = digits.slice(0, -2);
  const tail = digits.slice(-2);
  if (head === '' || Number(head) === 0) return [...digits].flatMap((digit) => ONES[Number(digit)]!);
  return [...belowHundred(Number(head)), ...pairWords(tail)];
}

/** Converts cardinal words to ordinal ones: "twenty one" to "twenty first". */
export function toOrdinal(words: readonly string[]): readonly string[] {
  const last = words.at(-1)!;
  const ordinal = IRREGULAR_ORDINALS[last] ?? (last.endsWith('y') ? `${last.slice(0, -1)}ieth` : `${last}th`);
  return [...words.slice(0, -1), ordinal];
}

/** The name of a month, counted from one. */
export function englishMonth(month: number): string {
  return MONTHS[month - 1] ?? '';
}

function createEnglishNumbers(isBritish: boolean): NumberVerbalizer {
  const cardinal = (digits: string): readonly string[] => englishCardinal(digits, isBritish);
  const numbers: NumberVerbalizer = {
    decimalSeparator: '.',
    groupSeparators: [','],
    ordinalMarks: ['st', 'nd', 'rd', 'th'],
    minus: ['minus'],
    dateOrder: isBritish ? 'dmy' : 'mdy',
    cardinal,
    counting: cardinal,
    ordinal: (digits) => toOrdinal(cardinal(digits)),
    decimal: (integer, fraction) => [...cardinal(integer), 'point', ...spellDigits(fraction)],
    digits: spellDigits,
    percent: (words) => [...words, 'percent'],
    currency: (code, integer, fraction) => englishMoney(code, integer, fraction, cardinal),
    currencyName: (code) => CURRENCY_NAMES[code][1].split(' '),
    year: englishYear,
    date: (date) => englishDate(date, isBritish),
    time: englishTime,
    unit: (symbol, isPlural) => englishUnit(symbol, isPlural)?.split(' '),
  };
  return numbers;
}

function spellDigits(digits: string): readonly string[] {
  return Array.from(digits, (digit) => ONES[Number(digit)]!);
}

function belowHundred(n: number): readonly string[] {
  if (n < 20) return [ONES[n]!];
  const ten = TENS[Math.floor(n / 10)]!;
  return n % 10 === 0 ? [ten] : [ten, ONES[n % 10]!];
}

function belowThousand(n: number, withAnd: boolean): readonly string[] {
  if (n < 100) return belowHundred(n);
  const hundreds = [ONES[Math.floor(n / 100)]!, 'hundred'];
  const rest = n % 100;
  if (rest === 0) return hundreds;
  return [...hundreds, ...(withAnd ? ['and'] : []), ...belowHundred(rest)];
}

function englishCardinal(written: string, withAnd: boolean): readonly string[] {
  const digits = written.replace(/^0+(?=\d)/, '');
  const isCode = written.length > 1 && written.startsWith('0');
  if (isCode || digits.length > 3 * SCALES.length) return spellDigits(written);
  const words: string[] = [];
  for (let place = Math.ceil(digits.length / 3) - 1; place >= 0; place--) {
    const group = Number(digits.slice(Math.max(0, digits.length - 3 * place - 3), digits.length - 3 * place));
    if (group === 0) continue;
    if (withAnd && place === 0 && group < 100 && words.length > 0) words.push('and');
    words.push(...belowThousand(group, withAnd));
    if (place > 0) words.push(SCALES[place]!);
  }
  return words.length === 0 ? ['zero'] : words;
}

function englishYear(digits: string): readonly string[] {
  const year = Number(digits);
  if (digits.length === 2) return pairWords(digits);
  const isPlain = digits.length !== 4 || year < 1000 || (year >= 2000 && year < 2010) || year % 1000 === 0;
  return isPlain ? englishCardinal(digits, false) : pairedWords(digits);
}

function englishDate({ day, month, year }: CalendarDate, dayFirst: boolean): readonly string[] {
  const name = englishMonth(month);
  const yearWords = year === undefined ? [] : englishYear(year);
  if (day === undefined) return [name, ...yearWords];
  const ordinal = toOrdinal(belowHundred(day));
  return dayFirst ? [...ordinal, 'of', name, ...yearWords] : [name, ...ordinal, ...yearWords];
}

function englishTime(hour: number, minute: number): readonly string[] {
  if (minute > 0) return [...belowHundred(hour), ...pairWords(String(minute).padStart(2, '0'))];
  if (hour === 0) return ['midnight'];
  return hour <= 12 ? [...belowHundred(hour), "o'clock"] : [...belowHundred(hour), 'hundred'];
}

function englishMoney(
  code: Currency,
  integer: string,
  fraction: string | undefined,
  cardinal: (digits: string) => readonly string[],
): readonly string[] {
  const [one, many, partOne, partMany] = CURRENCY_NAMES[code];
  const name = (digits: string) => (/^0*1$/.test(digits) ? one : many).split(' ');
  if (!fraction || /^0+$/.test(fraction)) return [...cardinal(integer), ...name(integer)];
  if (!partOne || !partMany || fraction.length > 2) {
    return [...cardinal(integer), 'point', ...spellDigits(fraction), ...many.split(' ')];
  }
  const part = Number(fraction.padEnd(2, '0'));
  const partWords = [...belowHundred(part), part === 1 ? partOne : partMany];
  return /^0*$/.test(integer) ? partWords : [...cardinal(integer), ...name(integer), 'and', ...partWords];
}
