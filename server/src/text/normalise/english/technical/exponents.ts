import { matchAt } from '../../../match-at.ts';
import type { NumberVerbalizer } from '../../numbers/number-verbalizer.ts';
import {
  say,
  spell,
  type Verbalization,
  type VerbalizationContext,
  type VerbalizationRule,
  type VerbalizedWord,
} from '../../verbalization.ts';
import type { Dialect } from '../dialect.ts';

const EXPONENT =
  /(?:\^|\*\*)(?:\{(-?\d{1,6}|[a-zA-Z])\}|\((-?\d{1,6})\)|(-?\d{1,6})(?![\d.])|([a-zA-Z])(?![\p{L}\d*]))/uy;
const CALCULATED = /[\d)\]}]|(?<![\p{L}\p{M}])\p{L}{1,3}$/u;

/** An exponent after a number, a variable or a parenthesis: x^2, 10^-3, x**n, e^{x}. */
export function exponentRule({ numbers }: Dialect): VerbalizationRule {
  return ({ text }, at) => {
    if (!CALCULATED.test(text.slice(Math.max(0, at - 4), at))) return undefined;
    const raised = matchAt(SUPERSCRIPTS, text, at);
    if (raised) {
      const end = at + raised[0].length;
      return { words: exponentWords(plainDigits(raised[0]), at, end, numbers), end };
    }
    const match = matchAt(EXPONENT, text, at);
    if (!match) return undefined;
    const exponent = match[1] ?? match[2] ?? match[3] ?? match[4]!;
    const end = at + match[0].length;
    return { words: exponentWords(exponent, at, end, numbers), end };
  };
}

/** Raised digits. The text is clean: a raised four is written "^4", a raised minus sign "^-". */
const SUPERSCRIPTS = /\^-(?:[¹²³]|\^\d){1,4}(?![\p{L}\d])|(?:[¹²³]|\^\d){2,4}(?![\p{L}\d])/uy;

function plainDigits(raised: string): string {
  return raised.replaceAll('^', '').replace(/[¹²³]/g, (digit) => String('¹²³'.indexOf(digit) + 1));
}

/** "squared", "cubed", "to the power of minus three", "to the power of N". */
export function exponentWords(
  exponent: string,
  start: number,
  end: number,
  numbers: NumberVerbalizer,
): VerbalizedWord[] {
  if (exponent === '2') return say('squared', start, end);
  if (exponent === '3') return say('cubed', start, end);
  const power = say('to the power of', start, end);
  if (/[a-zA-Z]/.test(exponent)) return [...power, ...spell(exponent, start, end)];
  const digits = exponent.replace('-', '');
  const sign = exponent.startsWith('-') ? say('minus', start, end) : [];
  return [...power, ...sign, ...say(numbers.cardinal(digits), start, end)];
}

const PRODUCT = /[a-zA-Z]{2,3}(?=(?:\^|\*\*)[-\d{(a-zA-Z]|[²³⁻⁰¹])/uy;

/** Variables that are multiplied, before an exponent: the letters of "mc^2" are spelled. */
export function productRule({ text }: VerbalizationContext, at: number): Verbalization | undefined {
  const match = matchAt(PRODUCT, text, at);
  if (!match || /\d\s?$/.test(text.slice(Math.max(0, at - 2), at))) return undefined;
  const end = at + match[0].length;
  return { words: spell(match[0], at, end), end };
}
