import { matchAt } from '../../match-at.ts';
import type { NumberVerbalizer } from '../numbers/number-verbalizer.ts';
import { say, spell, type Verbalization, type VerbalizedWord } from '../verbalization.ts';
import type { VerbalizerLexicon } from './lexicons.ts';

const TOP_LEVEL =
  'com|org|net|edu|gov|info|io|ai|dev|app|eu|es|fr|it|br|pt|in|jp|cn|mx|ar|cl|ch|be|ca|uk|us|de|co';
const ADDRESS = new RegExp(
  `(?:https?://)?(?:[a-z\\d._%+-]{1,64}@)?(?:[a-z\\d-]{1,63}\\.){1,5}(?:${TOP_LEVEL})(?![\\p{L}\\d])(?:/[a-z\\d._/-]{0,100}[a-z\\d])?`,
  'iuy',
);
const PART = /[a-z]+|\d+|[^a-z\d]/gi;
const UNPRONOUNCEABLE = /^(?:[^aeiouy]{1,5}|[a-z]|io|ai)$/i;

/** Verbalizes web and e-mail addresses, with the language's names of the symbols. */
export function verbalizeElectronicAddress(
  numbers: NumberVerbalizer,
  { symbols, addressSymbols }: VerbalizerLexicon,
  text: string,
  at: number,
): Verbalization | undefined {
  const written = matchAt(ADDRESS, text, at)?.[0];
  if (!written || !addressSymbols['.']) return undefined;
  const scheme = /^https?:\/\//i.exec(written)?.[0].length ?? 0;
  const words: VerbalizedWord[] = [];
  for (const part of written.slice(scheme).matchAll(PART)) {
    const end = at + scheme + part.index + part[0].length;
    const start = words.length === 0 ? at : end - part[0].length;
    if (/\d/.test(part[0])) words.push(...say(numbers.digits(part[0]), start, end));
    else if (!/[a-z]/i.test(part[0])) {
      const name = addressSymbols[part[0]] ?? symbols[part[0]];
      if (name) words.push(...say(name, start, end));
    } else if (UNPRONOUNCEABLE.test(part[0])) words.push(...spell(part[0], start, end));
    else words.push(...say(part[0], start, end));
  }
  return { words, end: at + written.length };
}
