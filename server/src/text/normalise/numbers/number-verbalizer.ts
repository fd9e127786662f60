/** Currencies every language has a name for. Others are read as their code, letter by letter. */
export const CURRENCIES = [
  'USD',
  'EUR',
  'GBP',
  'JPY',
  'CNY',
  'INR',
  'BRL',
  'KRW',
  'CHF',
  'MXN',
  'CAD',
  'AUD',
] as const;
export type Currency = (typeof CURRENCIES)[number];

/** A day of the calendar. Month and day count from one; the year is as written ("2019", "87"). */
export interface CalendarDate {
  readonly day?: number;
  readonly month: number;
  readonly year?: string;
}

/**
 * How one language says numbers. The text normaliser finds numbers in a text; a speaker turns each into
 * words as `SpokenWord.text` wants them: letters, apostrophes and inner hyphens, no digits, no spaces.
 *
 * Numbers come in as ASCII digits without group separators, of any length. One with leading zeros, or
 * beyond the language's scale words, is read digit by digit, so every method answers for every string of
 * digits. Languages written without spaces may give a number as one word.
 */
export interface NumberVerbalizer {
  readonly decimalSeparator: '.' | ',';
  /** What may stand between groups of digits, each one character. */
  readonly groupSeparators: readonly string[];
  /** Suffixes that make a written number an ordinal ("º", "er", "th"), lower-cased, longest first. */
  readonly ordinalMarks: readonly string[];
  /** Said before a negative number. */
  readonly minus: readonly string[];
  /** Order of the parts of a date in figures, such as 3/4/2021. */
  readonly dateOrder: 'dmy' | 'mdy' | 'ymd';

  /** A number on its own: "veintiuno", "vingt et un". */
  cardinal(digits: string): readonly string[];
  /** A number before what it counts, in the form that word asks for: "veintiún" (días), "两" (个). */
  counting(digits: string, noun: string): readonly string[];
  /** `mark` is one of `ordinalMarks` or empty. Undefined where the language has no word for it. */
  ordinal(digits: string, mark: string): readonly string[] | undefined;
  /** `fraction` is what stands after the separator, as written: "50" in 2.50. */
  decimal(integer: string, fraction: string): readonly string[];
  /** One digit after the other, as in telephone numbers and codes. */
  digits(digits: string): readonly string[];
  /** Makes a percentage of a number that is already in words. */
  percent(words: readonly string[]): readonly string[];
  /** An amount of money, with the language's plurals. `fraction` is as written: "5" and "50" are both 50. */
  currency(code: Currency, integer: string, fraction?: string): readonly string[];
  /** The name of a currency after a number that is already in words ("cinco millones de" dólares). */
  currencyName(code: Currency): readonly string[];
  /** A calendar year. */
  year(digits: string): readonly string[];
  /** A day of the calendar: "el" is not part of it. */
  date(date: CalendarDate): readonly string[];
  /** A time of day on the 24-hour clock. */
  time(hour: number, minute: number): readonly string[];
  /**
   * A unit by its symbol ("km", "°C", "km/h"), as it is said after a number. `isPlural` is false after
   * exactly one. Undefined for a symbol the language does not know.
   */
  unit(symbol: string, isPlural: boolean): readonly string[] | undefined;
}
