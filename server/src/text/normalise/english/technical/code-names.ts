import { matchAt } from '../../../match-at.ts';
import { pairedWords } from '../../numbers/en.ts';
import {
  say,
  spell,
  type Verbalization,
  type VerbalizationRule,
  type VerbalizedWord,
} from '../../verbalization.ts';
import { codePartWords, spellsInAddress } from '../acronyms.ts';
import type { Dialect } from '../dialect.ts';
import { camelWords } from '../web-addresses.ts';

const SNAKE_CASE = /\p{L}[\p{L}\d]{0,40}(?:_[\p{L}\d]{1,40}){1,8}(?![\p{L}\d])/uy;
const SUBSCRIPT = /(\p{L})_(?:\{([\p{L}\d]{1,3})\}|([\p{L}\d]))(?![\p{L}\d_])/uy;

/** Names with underscores in programs: MAX_RETRY, user_id, x_1. */
export function codeNameRule({ numbers }: Dialect): VerbalizationRule {
  return ({ text }, at) => {
    const subscript = matchAt(SUBSCRIPT, text, at);
    if (subscript) return verbalizeSubscript(subscript, at, numbers);
    const written = matchAt(SNAKE_CASE, text, at)?.[0];
    if (!written) return undefined;
    const words: VerbalizedWord[] = [];
    for (const part of written.matchAll(/\p{L}+|\d+/gu)) {
      const [start, end] = [at + part.index, at + part.index + part[0].length];
      if (/^\d/.test(part[0])) words.push(...say(digitsOfName(part[0], numbers), start, end));
      else if (part[0] === part[0].toUpperCase()) words.push(...codePartWords(part[0], start));
      else if (part[0].length <= 4 && spellsInAddress(part[0])) words.push(...spell(part[0], start, end));
      else words.push(...camelWords(part[0], start));
    }
    return { words, end: at + written.length };
  };
}

function verbalizeSubscript(match: RegExpExecArray, at: number, numbers: Dialect['numbers']): Verbalization {
  const [written, variable, braced, plain] = match;
  const index = braced ?? plain!;
  const end = at + written.length;
  const tail = /^\d+$/.test(index) ? say(numbers.cardinal(index), at + 1, end) : spell(index, at + 1, end);
  return { words: [...spell(variable!, at, at + 1), ...say('sub', at + 1, end), ...tail], end };
}

function digitsOfName(digits: string, numbers: Dialect['numbers']): readonly string[] {
  if (digits.startsWith('0') || digits.length > 4) return numbers.digits(digits);
  return digits.length === 4 && !digits.endsWith('00') ? pairedWords(digits) : numbers.cardinal(digits);
}
