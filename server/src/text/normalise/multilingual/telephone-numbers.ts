import { matchAt } from '../../match-at.ts';
import type { NumberVerbalizer } from '../numbers/number-verbalizer.ts';
import {
  addPauseAfter,
  say,
  type Verbalization,
  type VerbalizationContext,
  type VerbalizedWord,
} from '../verbalization.ts';
import type { VerbalizerLexicon } from './lexicons.ts';

/** Unambiguous formats: with a plus sign, an area code in brackets or with a leading zero, or uneven groups. */
const FORMATS = [
  '\\+\\d{1,3}(?:[-. ]?\\(?\\d{1,5}\\)?){2,6}',
  '\\(\\d{2,4}\\) ?\\d{3,5}[- ]\\d{4}',
  '0\\d{1,4}[- ]\\d{1,4}[- ]\\d{3,4}',
  '0\\d(?:[-. ]\\d{2}){4}',
  '(?:1[- ])?\\d{3}[-. ]\\d{3}[-. ]\\d{4}',
  '\\d{3}-\\d{4}',
  '\\d{5}[- ]\\d{4,5}',
  '\\d{2} \\d{3} \\d{2} \\d{2}',
  '\\d{3} \\d{2} \\d{2} \\d{2}',
];
const PHONE = new RegExp(`(?:${FORMATS.join('|')})(?![-.]?\\d)`, 'y');
/** Ambiguous formats; accepted after a word such as "phone". */
const AMBIGUOUS_PHONE = /\d{2,5}(?:[-. ]\d{2,5}){1,4}(?!\d)|\d{7,15}(?![\d.,]\d)/y;
const PHONE_KEYWORD =
  /(?:t[eé]l(?:[eé]f|[eé]ph|\.|$)|phone|fax|whatsapp|m[oó]vil|celular|cellulare|ll[aá]m|appel|chiam|ligue|फ़ोन|फोन|मोबाइल|電話|电话|手机)/iu;

/** Verbalizes telephone numbers, digit by digit or in pairs as usual in the language, with pauses between groups. */
export function verbalizeTelephoneNumber(
  numbers: NumberVerbalizer,
  { symbols, groupsPhoneDigits }: VerbalizerLexicon,
  context: VerbalizationContext,
  at: number,
): Verbalization | undefined {
  const { text, previous, beforePrevious } = context;
  const match =
    matchAt(PHONE, text, at) ??
    (PHONE_KEYWORD.test(previous) || PHONE_KEYWORD.test(beforePrevious)
      ? matchAt(AMBIGUOUS_PHONE, text, at)
      : null);
  if (!match) return undefined;
  const written = match[0];
  const groups = [...written.matchAll(/\d+/g)];
  const words = groups.flatMap((group, index) => {
    const start = at + group.index;
    const isPair = groupsPhoneDigits && group[0].length === 2;
    const digits = isPair ? numbers.cardinal(group[0]) : numbers.digits(group[0]);
    const words = say(digits, start, start + group[0].length);
    return index < groups.length - 1 ? addPauseAfter(words) : words;
  });
  const sign: VerbalizedWord[] = symbols['+'] && written.startsWith('+') ? say(symbols['+'], at, at + 1) : [];
  return { words: [...sign, ...words], end: at + written.length };
}
