import { matchAt } from '../../match-at.ts';
import type { NumberVerbalizer } from '../numbers/number-verbalizer.ts';

/** A written number. */
export interface EnglishNumeral {
  /** Digits before the decimal point, without commas. */
  readonly integer: string;
  readonly fraction: string | undefined;
  readonly isGrouped: boolean;
  readonly end: number;
}

/** Commas between groups of three, or of two (Indian); spaces or points only if no other interpretation is likely. */
const GROUPED =
  '\\d{1,3}(?:,\\d{3}){1,8}(?!\\d)|\\d{1,2}(?:,\\d{2}){1,7},\\d{3}(?!\\d)|' +
  '\\d{1,3}(?: \\d{3}){0,3} (?:000|500)(?!\\d)|\\d{1,3}(?:\\.\\d{3}){2,8}(?!\\d)';
const NUMERAL = new RegExp(`(${GROUPED}|\\d{1,24}(?!\\d))(?:\\.(\\d{1,24})(?![\\d]|\\.\\d))?`, 'y');
const BARE_FRACTION = /\.(\d{1,24})(?![\d]|\.\d)/y;

/** Parses the number at `at`: 1,482 and 3.14 and .5, but not 2.10.3. */
export function numeralAt(text: string, at: number): EnglishNumeral | undefined {
  const match = matchAt(NUMERAL, text, at);
  if (match) {
    const integer = match[1]!.replace(/\D/g, '');
    return {
      integer,
      fraction: match[2],
      isGrouped: integer.length < match[1]!.length,
      end: at + match[0].length,
    };
  }
  const bare = matchAt(BARE_FRACTION, text, at);
  return bare ? { integer: '0', fraction: bare[1], isGrouped: false, end: at + bare[0].length } : undefined;
}

/** Verbalizes a number: "three point one four". */
export function numeralWords(
  { integer, fraction }: EnglishNumeral,
  numbers: NumberVerbalizer,
): readonly string[] {
  return fraction === undefined ? numbers.cardinal(integer) : numbers.decimal(integer, fraction);
}

/** Whether the counted noun is singular. */
export function isOne({ integer, fraction }: EnglishNumeral): boolean {
  return integer === '1' && fraction === undefined;
}

/** Whether a number may be a calendar year: four digits, no comma, in a plausible range. */
export function isYearLike(numeral: EnglishNumeral): boolean {
  const { integer, fraction, isGrouped } = numeral;
  return (
    integer.length === 4 && fraction === undefined && !isGrouped && integer >= '1100' && integer < '2100'
  );
}
