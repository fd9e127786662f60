import { matchAt } from '../../match-at.ts';
import type { Currency, NumberVerbalizer } from '../numbers/number-verbalizer.ts';
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
import {
  createNumeralParser,
  type Numeral,
  type NumeralParser,
  parseMoneyNumeral,
} from './numeral-parser.ts';
import { verbalizeTelephoneNumber } from './telephone-numbers.ts';

/** Verbalizes numbers, symbols and abbreviations of any language with spaces; other words are unchanged. */
export function createMultilingualVerbalizer(
  numbers: NumberVerbalizer,
  vocabulary: VerbalizerLexicon,
): VerbalizationRule {
  const resources: VerbalizerResources = { numbers, vocabulary, numeralAt: createNumeralParser(numbers) };
  return (context, at) => {
    const { text } = context;
    const address = vocabulary.isPlain
      ? undefined
      : verbalizeElectronicAddress(numbers, vocabulary, text, at);
    if (address) return address;
    if (isDigit(text[at]!)) return verbalizeNumber(resources, context, at);
    return (
      verbalizeMoney(resources, text, at) ??
      verbalizeTelephone(resources, context, at) ??
      verbalizeAbbreviation(resources, context, at) ??
      verbalizeWord(text, at) ??
      verbalizeSymbol(resources, context, at)
    );
  };
}

interface VerbalizerResources {
  readonly numbers: NumberVerbalizer;
  readonly vocabulary: VerbalizerLexicon;
  readonly numeralAt: NumeralParser;
}

const DATE = /(\d{1,4})([/.-])(\d{1,2})\2(\d{1,4})(?![\d/.-]\d|\d)/y;
const TIME = /([01]?\d|2[0-4])(?:[:：]|h|H)([0-5]\d)(?![\d:]|[.,]\d)/y;
/** Ten or more consecutive digits are a code, unless they are a round number. */
const LONG_DIGITS = /(?!\d{1,12}0{4}(?!\d))\d{10,}(?![\d.,]\d)|\d{16,}/y;
const CODE = /\d{1,16}(?:[-.]\d{1,16}){2,8}(?![\p{L}\d])/uy;
const PERCENT = /\s?[%％]/uy;
const RANGE = /\s?[–~]\s?(?=\d)|-(?=\d)/uy;
const UNIT = /\s?(?=[a-zA-Zμ°])([a-zA-Zμ°]{1,4}[²³]?(?:\/[a-z]{1,3})?)(?![\p{Script=Latin}\d²³])/uy;
const FOLLOWING_WORD = /\s?([\p{L}\p{M}]{1,24})/uy;

function verbalizeNumber(
  resources: VerbalizerResources,
  context: VerbalizationContext,
  at: number,
): Verbalization | undefined {
  const { text } = context;
  if (resources.vocabulary.isPlain) return verbalizePlainNumber(resources, text, at);
  return (
    verbalizeDate(resources, text, at) ??
    verbalizeTelephone(resources, context, at) ??
    verbalizeLongDigits(resources, text, at) ??
    verbalizeTime(resources, text, at) ??
    verbalizeAmount(resources, context, at) ??
    verbalizeLongDigits(resources, text, at, true)
  );
}

function verbalizeTelephone(
  { numbers, vocabulary }: VerbalizerResources,
  context: VerbalizationContext,
  at: number,
): Verbalization | undefined {
  return vocabulary.isPlain ? undefined : verbalizeTelephoneNumber(numbers, vocabulary, context, at);
}

/** A number without its context. */
function verbalizePlainNumber(
  resources: VerbalizerResources,
  text: string,
  at: number,
): Verbalization | undefined {
  const numeral = resources.numeralAt(text, at);
  if (!numeral) return verbalizeLongDigits(resources, text, at, true);
  const ordinal = verbalizeOrdinal(resources, text, at, numeral);
  if (ordinal) return ordinal;
  return { words: say(numeralWords(resources.numbers, numeral, ''), at, numeral.end), end: numeral.end };
}

/** Each digit has its own source span, so that a long sequence can be split into pieces. */
function verbalizeLongDigits(
  { numbers }: VerbalizerResources,
  text: string,
  at: number,
  anyCode = false,
): Verbalization | undefined {
  const match =
    matchAt(LONG_DIGITS, text, at) ??
    matchAt(CODE, text, at) ??
    (anyCode ? matchAt(/\d{1,64}/y, text, at) : null);
  if (!match || (!anyCode && matchAt(DATE, text, at))) return undefined;
  const words: VerbalizedWord[] = [];
  for (const [index, digit] of Array.from(match[0]).entries()) {
    if (isDigit(digit)) words.push(...say(numbers.digits(digit), at + index, at + index + 1));
  }
  return { words, end: at + match[0].length };
}

function verbalizeDate(
  { numbers }: VerbalizerResources,
  text: string,
  at: number,
): Verbalization | undefined {
  const match = matchAt(DATE, text, at);
  if (!match) return undefined;
  const [written, first, , second, third] = match;
  const isYearFirst = first!.length === 4;
  if (isYearFirst === (third!.length === 4) || (!isYearFirst && first!.length > 2)) return undefined;
  const [year, a, b] = isYearFirst
    ? [first!, Number(second), Number(third)]
    : [third!, Number(first), Number(second)];
  const isMonthFirst = isYearFirst || numbers.dateOrder === 'mdy' || b > 12;
  const [month, day] = isMonthFirst ? [a, b] : [b, a];
  if (month < 1 || month > 12 || day < 1 || day > 31) return undefined;
  const end = at + written.length;
  return { words: say(numbers.date({ day, month, year }), at, end), end };
}

function verbalizeTime(
  { numbers }: VerbalizerResources,
  text: string,
  at: number,
): Verbalization | undefined {
  const match = matchAt(TIME, text, at);
  if (!match) return undefined;
  const end = at + match[0].length;
  return { words: say(numbers.time(Number(match[1]) % 24, Number(match[2])), at, end), end };
}

/** A number with its currency, percent sign, unit, ordinal indicator or noun. */
function verbalizeAmount(
  resources: VerbalizerResources,
  context: VerbalizationContext,
  at: number,
): Verbalization | undefined {
  const { text } = context;
  const { numbers, vocabulary } = resources;
  const money = parseMoneyNumeral(text, at);
  if (money && matchAt(CURRENCY_AFTER, text, money.end)) return countedWords(resources, text, at, money);
  const first = resources.numeralAt(text, at);
  if (!first) return undefined;
  const ordinal = verbalizeOrdinal(resources, text, at, first);
  if (ordinal) return ordinal;
  const dash = matchAt(RANGE, text, first.end);
  const secondAt = first.end + (dash?.[0].length ?? 0);
  const second = dash ? resources.numeralAt(text, secondAt) : undefined;
  if (second && vocabulary.to) {
    const tail = countedWords(resources, text, secondAt, second);
    const head = say(numeralWords(numbers, first, ''), at, first.end);
    return { words: [...head, ...say(vocabulary.to, first.end, secondAt), ...tail.words], end: tail.end };
  }
  return countedWords(resources, text, at, first);
}

function countedWords(
  { numbers, vocabulary }: VerbalizerResources,
  text: string,
  at: number,
  numeral: Numeral,
): Verbalization {
  const { integer, fraction, end } = numeral;
  const percent = matchAt(PERCENT, text, end);
  if (percent) {
    const percentEnd = end + percent[0].length;
    return {
      words: say(numbers.percent(numeralWords(numbers, numeral, '')), at, percentEnd),
      end: percentEnd,
    };
  }
  const sign = matchAt(CURRENCY_AFTER, text, end);
  if (sign) {
    const signEnd = end + sign[0].length;
    return {
      words: say(numbers.currency(CURRENCIES[sign[1]!]!, integer, fraction), at, signEnd),
      end: signEnd,
    };
  }
  const unit = matchAt(UNIT, text, end);
  const isPlural = !(integer === '1' && fraction === undefined);
  const unitWords = unit ? numbers.unit(unit[1]!, isPlural) : undefined;
  if (unit && unitWords && !vocabulary.notUnits.has(unit[1]!)) {
    const unitEnd = end + unit[0].length;
    return {
      words: say([...numeralWords(numbers, numeral, unitWords[0]!), ...unitWords], at, unitEnd),
      end: unitEnd,
    };
  }
  if (vocabulary.yearMark && integer.length === 4 && text[end] === vocabulary.yearMark) {
    return { words: say(numbers.year(integer), at, end), end };
  }
  const noun = matchAt(FOLLOWING_WORD, text, end)?.[1] ?? '';
  return { words: say(numeralWords(numbers, numeral, noun), at, end), end };
}

function numeralWords(
  numbers: NumberVerbalizer,
  { integer, fraction }: Numeral,
  noun: string,
): readonly string[] {
  if (fraction !== undefined) return numbers.decimal(integer, fraction);
  return noun === '' ? numbers.cardinal(integer) : numbers.counting(integer, noun);
}

function verbalizeOrdinal(
  { numbers }: VerbalizerResources,
  text: string,
  at: number,
  { integer, fraction, end }: Numeral,
): Verbalization | undefined {
  if (fraction !== undefined) return undefined;
  const following = text.slice(end, end + 8).toLowerCase();
  const mark = numbers.ordinalMarks.find(
    (candidate) =>
      following.startsWith(candidate) && !/^[\p{L}\p{M}]/u.test(following.slice(candidate.length)),
  );
  const words = mark ? numbers.ordinal(integer, mark) : undefined;
  return words && { words: say(words, at, end + mark!.length), end: end + mark!.length };
}

/** Currencies by sign and by ISO 4217 code. */
const CURRENCIES: Readonly<Record<string, Currency>> = {
  $: 'USD',
  '€': 'EUR',
  '£': 'GBP',
  '¥': 'JPY',
  '₹': 'INR',
  '₩': 'KRW',
  R$: 'BRL',
  US$: 'USD',
  元: 'CNY',
  USD: 'USD',
  EUR: 'EUR',
  GBP: 'GBP',
  JPY: 'JPY',
  CNY: 'CNY',
  INR: 'INR',
  BRL: 'BRL',
  KRW: 'KRW',
  CHF: 'CHF',
};
const CURRENCY_BEFORE = /(US\$|R\$|[$€£¥₹₩])\s?(?=\d)/uy;
const CURRENCY_AFTER = /\s?(US\$|R\$|[$€£¥₹₩]|USD|EUR|GBP|JPY|CNY|INR|BRL|KRW|CHF)(?![\p{Script=Latin}\d])/uy;

function verbalizeMoney(resources: VerbalizerResources, text: string, at: number): Verbalization | undefined {
  const { numbers, vocabulary } = resources;
  if (vocabulary.isPlain) return undefined;
  const sign = matchAt(CURRENCY_BEFORE, text, at);
  if (!sign) return undefined;
  const amountAt = at + sign[0].length;
  const numeral = parseMoneyNumeral(text, amountAt) ?? resources.numeralAt(text, amountAt);
  if (!numeral) return undefined;
  const code = sign[1] === '¥' ? vocabulary.yen : CURRENCIES[sign[1]!]!;
  const words = numbers.currency(code, numeral.integer, numeral.fraction);
  return { words: say(words, at, numeral.end), end: numeral.end };
}

const BEFORE_MINUS = /^$|[\s(\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** A minus before a number, or a symbol with a name. */
function verbalizeSymbol(
  resources: VerbalizerResources,
  context: VerbalizationContext,
  at: number,
): Verbalization | undefined {
  const { text } = context;
  const { numbers, vocabulary } = resources;
  if (text[at] === '-' && isDigit(text[at + 1] ?? '') && BEFORE_MINUS.test(text[at - 1] ?? '')) {
    const number = verbalizeNumber(resources, context, at + 1);
    return number && { ...number, words: [...say(numbers.minus, at, at + 1), ...number.words] };
  }
  const word = vocabulary.symbols[text[at]!];
  return word ? { words: say(word, at, at + 1), end: at + 1 } : undefined;
}

function verbalizeAbbreviation(
  { vocabulary }: VerbalizerResources,
  { text }: VerbalizationContext,
  at: number,
): Verbalization | undefined {
  for (const [written, words] of vocabulary.abbreviations.get(text[at]!) ?? []) {
    const end = at + written.length;
    if (text.startsWith(written, at) && !/[\p{L}\p{M}\d]/u.test(text[end] ?? '')) {
      return { words: say(words, at, end), end };
    }
  }
  return undefined;
}

const WORD = /\p{L}[\p{L}\p{M}]{0,63}(?:['-](?=\p{L})[\p{L}\p{M}]{1,64}){0,12}/uy;
const CAPITALS = /^\p{Lu}{2,5}$/u;
const VOWEL = /[AEIOUÁÉÍÓÚÀÈÌÒÙÂÊÎÔÛÄËÏÖÜY]/;

function verbalizeWord(text: string, at: number): Verbalization | undefined {
  const match = matchAt(WORD, text, at);
  if (!match) return undefined;
  const end = at + match[0].length;
  const isSpelled = CAPITALS.test(match[0]) && !VOWEL.test(match[0]) && /\p{Script=Latin}/u.test(match[0]);
  return { words: isSpelled ? spell(match[0], at, end) : say([match[0]], at, end), end };
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}
