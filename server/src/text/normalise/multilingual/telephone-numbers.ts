import type { NumberVerbalizer } from '../numbers/number-verbalizer.ts';
import {
  addPauseAfter,
  matchAt,
  say,
  type Verbalization,
  type VerbalizationContext,
  type VerbalizedWord,
} from '../verbalization.ts';
import type { VerbalizerLexicon } from './lexicons.ts';

/** Shapes that only telephone numbers have: a plus sign, an area code in brackets or with a zero, uneven groups. */
const SHAPES = [
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
const PHONE = new RegExp(`(?:${SHAPES.join('|')})(?![-.]?\\d)`, 'y');
/** After a word that announces one, plainer groups are a telephone number too. */
const ANNOUNCED = /\d{2,5}(?:[-. ]\d{2,5}){1,4}(?!\d)|\d{7,15}(?![\d.,]\d)/y;
const ANNOUNCEMENT =
  /(?:t[eé]l(?:[eé]f|[eé]ph|\.|$)|phone|fax|whatsapp|m[oó]vil|celular|cellulare|ll[aá]m|appel|chiam|ligue|फ़ोन|फोन|मोबाइल|電話|电话|手机)/iu;

/** Telephone numbers: figure by figure or in pairs, as the language has it, with a pause between the groups. */
export function verbalizeTelephoneNumber(
  numbers: NumberVerbalizer,
  { signs, saysPhonePairs }: VerbalizerLexicon,
  context: VerbalizationContext,
  at: number,
): Verbalization | undefined {
  const { text, previous, beforePrevious } = context;
  const match =
    matchAt(PHONE, text, at) ??
    (ANNOUNCEMENT.test(previous) || ANNOUNCEMENT.test(beforePrevious) ? matchAt(ANNOUNCED, text, at) : null);
  if (!match) return undefined;
  const written = match[0];
  const groups = [...written.matchAll(/\d+/g)];
  const words = groups.flatMap((group, index) => {
    const start = at + group.index;
    const isPair = saysPhonePairs && group[0].length === 2;
    const figures = isPair ? numbers.cardinal(group[0]) : numbers.digits(group[0]);
    const said = say(figures, start, start + group[0].length);
    return index < groups.length - 1 ? addPauseAfter(said) : said;
  });
  const sign: VerbalizedWord[] = signs['+'] && written.startsWith('+') ? say(signs['+'], at, at + 1) : [];
  return { words: [...sign, ...words], end: at + written.length };
}
