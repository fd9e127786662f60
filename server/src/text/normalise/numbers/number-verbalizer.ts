/** Currencies with a name in every language. Other currency codes are spelled. */
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

/** A calendar date. Month and day count from one; the year is as written ("2019", "87"). */
export interface CalendarDate {
  readonly day?: number;
  readonly month: number;
  readonly year?: string;
}

/**
 * Verbalizes the numbers of one language. Results are words as in `SpokenWord.text`: letters, apostrophes and inner
 * hyphens, no digits, no spaces.
 *
 * Input numbers are ASCII digits without group separators, of any length. A number with leading zeros, or beyond the
 * largest number name, is verbalized digit by digit, so that every method accepts every digit string. Languages
 * without spaces may return a number as one word.
 */
export interface NumberVerbalizer {
  readonly decimalSeparator: '.' | ',';
  /** Separators between groups of digits, one character each. */
  readonly groupSeparators: readonly string[];
  /** Suffixes of written ordinals ("º", "er", "th"), in lower case, longest first. */
  readonly ordinalMarks: readonly string[];
  /** Words before a negative number. */
  readonly minus: readonly string[];
  /** Order of the parts of a numeric date, such as 3/4/2021. */
  readonly dateOrder: 'dmy' | 'mdy' | 'ymd';

  /** A number without a noun: "veintiuno", "vingt et un". */
  cardinal(digits: string): readonly string[];
  /** A number before a noun, in agreement with it: "veintiún" (días), "两" (个). */
  counting(digits: string, noun: string): readonly string[];
  /** `mark` is one of `ordinalMarks` or empty. Undefined if the language has no word for it. */
  ordinal(digits: string, mark: string): readonly string[] | undefined;
  /** `fraction` has the digits after the separator, as written: "50" in 2.50. */
  decimal(integer: string, fraction: string): readonly string[];
  /** Digit by digit, as in telephone numbers and codes. */
  digits(digits: string): readonly string[];
  /** A percentage from a verbalized number. */
  percent(words: readonly string[]): readonly string[];
  /** An amount of money. `fraction` is as written: "5" and "50" are both 50. */
  currency(code: Currency, integer: string, fraction?: string): readonly string[];
  /** The name of a currency after a verbalized number ("cinco millones de" dólares). */
  currencyName(code: Currency): readonly string[];
  /** A calendar year. */
  year(digits: string): readonly string[];
  /** A date, without an article. */
  date(date: CalendarDate): readonly string[];
  /** A time of day on the 24-hour clock. */
  time(hour: number, minute: number): readonly string[];
  /**
   * The name of a unit ("km", "°C", "km/h") after a number. `isPlural` is false after exactly one. Undefined for an
   * unknown symbol.
   */
  unit(symbol: string, isPlural: boolean): readonly string[] | undefined;
}
