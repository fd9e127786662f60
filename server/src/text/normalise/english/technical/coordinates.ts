import { matchAt } from '../../../match-at.ts';
import { say, type VerbalizationRule } from '../../verbalization.ts';
import type { Dialect } from '../dialect.ts';
import { isOne, numeralAt, numeralWords } from '../numerals.ts';

const COORDINATE =
  /(\d{1,3}(?:\.\d{1,8})?)\s?°\s?(?:(\d{1,2}(?:\.\d{1,6})?)\s?'\s?)?(?:(\d{1,2}(?:\.\d{1,6})?)\s?(?:”|"|'')\s?)?(?:([NSEW])(?![\p{L}\d]))?/uy;
const COMPASS: Readonly<Record<string, string>> = { N: 'north', S: 'south', E: 'east', W: 'west' };
const UNITS = ['degree', 'minute', 'second'] as const;

/** Angles and geographic coordinates: 51°30'26"N, 40.7128° N. */
export function coordinateRule({ numbers }: Dialect): VerbalizationRule {
  return ({ text }, at) => {
    const match = matchAt(COORDINATE, text, at);
    if (!match || (match[2] === undefined && match[4] === undefined)) return undefined;
    const end = at + match[0].length;
    const words = UNITS.flatMap((unit, index) => {
      const written = match[index + 1];
      const numeral = written === undefined ? undefined : numeralAt(written.replace(/^0(?=\d)/, ''), 0);
      if (!numeral) return [];
      return [...numeralWords(numeral, numbers), isOne(numeral) ? unit : `${unit}s`];
    });
    const direction = match[4] === undefined ? [] : [COMPASS[match[4]]!];
    return { words: say([...words, ...direction], at, end), end };
  };
}
