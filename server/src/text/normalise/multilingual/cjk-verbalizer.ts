import { matchAt } from '../../match-at.ts';
import type { NumberVerbalizer } from '../numbers/number-verbalizer.ts';
import {
  say,
  spell,
  type Verbalization,
  type VerbalizationContext,
  type VerbalizationRule,
  type VerbalizedWord,
} from '../verbalization.ts';
import { verbalizeElectronicAddress } from './electronic-addresses.ts';
import type { VerbalizerLexicon } from './lexicons.ts';
import { createMultilingualVerbalizer } from './multilingual-verbalizer.ts';

/** Letters only: these scripts also contain radicals and symbols, which have no pronunciation. */
const RUN = /(?:(?=[\p{L}〇])[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]){1,64}/uy;
const CJK = /(?=[\p{L}〇])[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u;
const LATIN_WORD =
  /(?=\p{L})\p{Script=Latin}[\p{Script=Latin}\p{M}]{0,63}(?:['-](?=\p{L})\p{Script=Latin}{1,64}){0,4}/uy;
const NUMBER_START = /[\d]|[-$€£¥₹]\d/y;
/** A run up to the first length is one word; a longer one is cut between words, at about the second length. */
const RUN_LENGTH_MAX = 40;
const CUT_LENGTH = 24;

/** Created when it is first needed: its dictionary takes memory. */
let segmenter: Intl.Segmenter | undefined;

/**
 * Verbalizes Chinese and Japanese, which are written without spaces. A word is a run of the script with its numbers
 * verbalized: word segmentation is left to the phonemizer.
 */
export function createCjkVerbalizer(
  numbers: NumberVerbalizer,
  vocabulary: VerbalizerLexicon,
): VerbalizationRule {
  const verbalizeOther = createMultilingualVerbalizer(numbers, vocabulary);
  return (context, at) =>
    (/[a-z]/i.test(context.text[at]!) ? verbalizeAddress(numbers, vocabulary, context, at) : undefined) ??
    verbalizeMixedRun(verbalizeOther, context, at) ??
    verbalizeLatin(context, at) ??
    verbalizeGroups(verbalizeOther, context, at);
}

function verbalizeAddress(
  numbers: NumberVerbalizer,
  vocabulary: VerbalizerLexicon,
  { text }: VerbalizationContext,
  at: number,
): Verbalization | undefined {
  return vocabulary.isPlain ? undefined : verbalizeElectronicAddress(numbers, vocabulary, text, at);
}

/** An expression with pauses, such as a telephone number: one word between two pauses. */
function verbalizeGroups(
  verbalizeOther: VerbalizationRule,
  context: VerbalizationContext,
  at: number,
): Verbalization | undefined {
  const verbalization = verbalizeOther(context, at);
  if (!verbalization?.words.some((word) => word.after)) return verbalization;
  const words: VerbalizedWord[] = [];
  let isOpen = false;
  for (const word of verbalization.words) {
    const last = isOpen ? words.pop() : undefined;
    words.push(last ? { ...word, text: last.text + word.text, start: last.start } : word);
    isOpen = !word.after;
  }
  return { ...verbalization, words };
}

function verbalizeMixedRun(
  verbalizeOther: VerbalizationRule,
  context: VerbalizationContext,
  at: number,
): Verbalization | undefined {
  let spoken = '';
  let position = at;
  while (position < context.text.length && spoken.length < CUT_LENGTH) {
    const part = verbalizeRun(context.text, position) ?? verbalizeNumber(verbalizeOther, context, position);
    if (!part) break;
    spoken += part.spoken;
    position = part.end;
    if (part.isCut) break;
  }
  return spoken === '' ? undefined : { words: [{ text: spoken, start: at, end: position }], end: position };
}

interface Part {
  readonly spoken: string;
  readonly end: number;
  /** The run continues in the next word. */
  readonly isCut?: boolean;
}

function verbalizeRun(text: string, at: number): Part | undefined {
  const code = text.codePointAt(at)!;
  if (code < 0x2e80 || !CJK.test(String.fromCodePoint(code))) return undefined;
  const run = matchAt(RUN, text, at)?.[0];
  if (!run) return undefined;
  const spoken = run.length <= RUN_LENGTH_MAX ? run : run.slice(0, wordEndBefore(run, CUT_LENGTH));
  return { spoken, end: at + spoken.length, isCut: spoken.length < run.length };
}

/** The end of the last complete word within `length`. */
function wordEndBefore(run: string, length: number): number {
  let end = 0;
  segmenter ??= new Intl.Segmenter('zh', { granularity: 'word' });
  for (const { index, segment } of segmenter.segment(run)) {
    if (index + segment.length > length) break;
    end = index + segment.length;
  }
  return end > 0 ? end : run.length;
}

/** A number within a run. A long one that is verbalized digit by digit is a separate word. */
function verbalizeNumber(
  verbalizeOther: VerbalizationRule,
  context: VerbalizationContext,
  at: number,
): Part | undefined {
  if (!matchAt(NUMBER_START, context.text, at)) return undefined;
  const verbalization = verbalizeOther(context, at);
  if (!verbalization || verbalization.words.length > 12 || verbalization.words.some((word) => word.after))
    return undefined;
  return { spoken: verbalization.words.map((word) => word.text).join(''), end: verbalization.end };
}

function verbalizeLatin({ text }: VerbalizationContext, at: number): Verbalization | undefined {
  const written = matchAt(LATIN_WORD, text, at)?.[0];
  if (!written) return undefined;
  const end = at + written.length;
  const isAcronym = /^\p{Lu}{1,5}$/u.test(written);
  return { words: isAcronym ? spell(written, at, end) : say([written], at, end), end };
}
