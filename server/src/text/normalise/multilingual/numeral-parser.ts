import { matchAt } from '../../match-at.ts';
import type { NumberVerbalizer } from '../numbers/number-verbalizer.ts';

/** A written number: integer digits without group separators, and the digits after the decimal separator. */
export interface Numeral {
  readonly integer: string;
  readonly fraction: string | undefined;
  readonly end: number;
}

/** Parses the number that begins at `at`; undefined if there is none. */
export type NumeralParser = (text: string, at: number) => Numeral | undefined;

/** Creates a parser for the separators of a language. */
export function createNumeralParser({ groupSeparators, decimalSeparator }: NumberVerbalizer): NumeralParser {
  const groups = groupSeparators.map((separator) => (separator === '.' ? '\\.' : separator)).join('');
  const decimal = decimalSeparator === '.' ? '\\.' : ',';
  // Indian grouping, by two above the thousands: 1,25,00,000.
  const indian = groupSeparators.includes(',') ? '\\d{1,2}(?:,\\d{2}){1,7},\\d{3}(?!\\d)|' : '';
  const pattern = new RegExp(
    `(\\d{1,3}(?:[${groups}]\\d{3}){1,8}(?!\\d)|${indian}\\d{1,24}(?!\\d))(?:${decimal}(\\d{1,24})(?!\\d|[.,]\\d))?`,
    'y',
  );
  return (text, at) => {
    const match = matchAt(pattern, text, at);
    return match ? numeralOf(match[1]!, match[2], at + match[0].length) : undefined;
  };
}

const MONEY =
  /(?:(\d{1,3}(?:,\d{3}){1,4})(?:\.(\d{2}))?|(\d{1,3}(?:\.\d{3}){1,4})(?:,(\d{2}))?|(\d{1,9})(?:[.,](\d{2}))?)(?!\d|[.,]\d)/y;

/**
 * Parses an amount of money with the separators of any country: 3.50 and 3,50, 1,234.50 and 1.234,50. Unambiguous,
 * because hundredths have two digits and groups three.
 */
export function parseMoneyNumeral(text: string, at: number): Numeral | undefined {
  const match = matchAt(MONEY, text, at);
  if (!match) return undefined;
  const [written, byComma, pointCents, byPoint, commaCents, plain, cents] = match;
  return numeralOf(byComma ?? byPoint ?? plain!, pointCents ?? commaCents ?? cents, at + written.length);
}

function numeralOf(integer: string, fraction: string | undefined, end: number): Numeral {
  return { integer: integer.replace(/\D/g, ''), fraction, end };
}
