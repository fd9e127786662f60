import { matchAt } from '../../match-at.ts';
import { englishPer } from '../numbers/en-units.ts';
import type { Currency } from '../numbers/number-verbalizer.ts';
import {
  say,
  type Verbalization,
  type VerbalizationContext,
  type VerbalizationRule,
  type VerbalizedWord,
} from '../verbalization.ts';
import type { Dialect } from './dialect.ts';
import { isArticle, NOUN_NEXT } from './measures.ts';
import { type EnglishNumeral, isOne, numeralAt, numeralWords } from './numerals.ts';

/** Amounts of money: $18.50, £2,300, $1.5 million, €5bn, $5–10, 50¢, 20 USD. */
export function moneyRules(dialect: Dialect): VerbalizationRule[] {
  return [
    (context, at) => verbalizeLeadingSymbol(context, at, dialect),
    (context, at) => verbalizeTrailingSymbol(context, at, dialect),
  ];
}

const SIGNS: Readonly<Record<string, Currency>> = {
  ...{
    $: 'USD',
    '£': 'GBP',
    '€': 'EUR',
    '¥': 'JPY',
    '₹': 'INR',
    '₩': 'KRW',
    US$: 'USD',
    R$: 'BRL',
    C$: 'CAD',
  },
  ...{
    CA$: 'CAD',
    A$: 'AUD',
    AU$: 'AUD',
    MX$: 'MXN',
    'CN¥': 'CNY',
    USD: 'USD',
    EUR: 'EUR',
    GBP: 'GBP',
    JPY: 'JPY',
  },
  ...{
    'Rs.': 'INR',
    Rs: 'INR',
    CNY: 'CNY',
    RMB: 'CNY',
    INR: 'INR',
    KRW: 'KRW',
    CHF: 'CHF',
    CAD: 'CAD',
    AUD: 'AUD',
    BRL: 'BRL',
    MXN: 'MXN',
  },
};
const SIGN =
  /(?:US\$|R\$|CA?\$|AU?\$|MX\$|CN¥|Rs\.?|[$£€¥₹₩])\s?(?=\.?\d)|(?:USD|EUR|GBP|JPY|CNY|RMB|INR|KRW|CHF|CAD|AUD|BRL|MXN)\s?(?=\d)/uy;
const SIGN_AFTER =
  /\s?([€£¥₹₩$])(?![\d\p{L}])|\s?(USD|EUR|GBP|JPY|CNY|RMB|INR|KRW|CHF|CAD|AUD|BRL|MXN)(?![\p{L}\d])/uy;
const CENTS = /\s?¢/uy;
const PENCE = /p(?![\p{L}\d])/uy;
const SCALE = /\s?(?:(thousand|million|billion|trillion)|(k|K|m|M|mn|b|B|bn|Bn|tn|T))(?![\p{L}\d])/uy;
const SCALE_NAMES: Readonly<Record<string, string>> = {
  ...{
    k: 'thousand',
    m: 'million',
    mn: 'million',
    b: 'billion',
    bn: 'billion',
    tn: 'trillion',
    t: 'trillion',
  },
};
const DASH = /\s?[–-]\s?/uy;
const PER = /\s?\/\s?([a-z]{1,6}|kWh|m²|m³)(?![\p{L}\d])(?:\.(?=\s[a-z]|,))?/uy;
/** Amounts in euros often have continental separators: 1.234,50. */
const CONTINENTAL = /(\d{1,3}(?:\.\d{3}){1,4}|\d{1,9}),(\d{2})(?!\d)/y;

interface Amount {
  readonly numeral: EnglishNumeral;
  readonly scale: string | undefined;
  readonly end: number;
}

function amountAt(text: string, at: number, isEuro = false): Amount | undefined {
  const numeral = (isEuro ? continentalAt(text, at) : undefined) ?? numeralAt(text, at);
  if (!numeral) return undefined;
  const scale = matchAt(SCALE, text, numeral.end);
  // "$5 m" with a space could be metres of a price list, but never a lone letter before a word.
  if (!scale) return { numeral, scale: undefined, end: numeral.end };
  return {
    numeral,
    scale: scale[1] ?? SCALE_NAMES[scale[2]!.toLowerCase()],
    end: numeral.end + scale[0].length,
  };
}

function continentalAt(text: string, at: number): EnglishNumeral | undefined {
  const match = matchAt(CONTINENTAL, text, at);
  if (!match) return undefined;
  const integer = match[1]!.replaceAll('.', '');
  return { integer, fraction: match[2], isGrouped: false, end: at + match[0].length };
}

function amountWords({ numeral, scale }: Amount, code: Currency, { numbers }: Dialect): readonly string[] {
  if (!scale) return numbers.currency(code, numeral.integer, numeral.fraction);
  return [...numeralWords(numeral, numbers), scale, ...numbers.currencyName(code)];
}

/** "a $20 bill": the currency of an attribute is singular. */
function attributeWords({ numeral, scale }: Amount, code: Currency, { numbers }: Dialect): readonly string[] {
  const name = numbers.currencyName(code);
  const singular = [...name.slice(0, -1), name.at(-1)!.replace(/s$/, '')];
  return [...numeralWords(numeral, numbers), ...(scale ? [scale] : []), ...singular];
}

const VERB_NEXT =
  /\s(?:will|would|can|could|may|might|must|should|has|had|have|did|does|do|went|goes|came|comes|paid|pays|bought|buys|left|seems?|not|only|off|more|less)(?!\p{L})/uy;

function isAttribute({ text, previous }: VerbalizationContext, amount: Amount): boolean {
  const isWhole = amount.numeral.fraction === undefined || amount.scale !== undefined;
  const isDescribing = isArticle(previous) || /'s?$/.test(previous);
  const isBeforeNoun =
    matchAt(NOUN_NEXT, text, amount.end) !== null && matchAt(VERB_NEXT, text, amount.end) === null;
  return isWhole && isDescribing && isBeforeNoun;
}

function verbalizeLeadingSymbol(
  context: VerbalizationContext,
  at: number,
  dialect: Dialect,
): Verbalization | undefined {
  const { text } = context;
  const sign = matchAt(SIGN, text, at);
  if (!sign) return undefined;
  const code = SIGNS[sign[0].trim()]!;
  const first = amountAt(text, at + sign[0].length, code === 'EUR');
  if (!first) return undefined;
  const until = rangeEnd(text, first.end);
  if (!until && isAttribute(context, first))
    return { words: say(attributeWords(first, code, dialect), at, first.end), end: first.end };
  if (!until) return withPer(text, say(amountWords(first, code, dialect), at, first.end), first.end);
  // "$5–10 million": the scale applies to both ends.
  const head = first.scale && first.scale !== until.amount.scale ? [first.scale] : [];
  const words = [
    ...say([...numeralWords(first.numeral, dialect.numbers), ...head], at, first.end),
    ...say('to', first.end, until.start),
    ...say(amountWords(until.amount, code, dialect), until.start, until.amount.end),
  ];
  return withPer(text, words, until.amount.end);
}

function rangeEnd(text: string, at: number): { start: number; amount: Amount } | undefined {
  const dash = matchAt(DASH, text, at);
  if (!dash) return undefined;
  const start = at + dash[0].length;
  const sign = matchAt(SIGN, text, start);
  if (!sign && !/\d/.test(text[start] ?? '')) return undefined;
  const amount = amountAt(text, start + (sign?.[0].length ?? 0));
  return amount && { start, amount };
}

function verbalizeTrailingSymbol(
  { text }: VerbalizationContext,
  at: number,
  dialect: Dialect,
): Verbalization | undefined {
  const { numbers } = dialect;
  const euro = continentalAt(text, at);
  const isEuro = euro !== undefined && /^\s?€/.test(text.slice(euro.end, euro.end + 2));
  const amount = amountAt(text, at, isEuro);
  if (!amount) return undefined;
  const { numeral, end } = amount;
  const small =
    matchAt(CENTS, text, numeral.end) ?? (dialect.isBritish ? matchAt(PENCE, text, numeral.end) : null);
  if (small) {
    const [one, many] = small[0].includes('¢') ? ['cent', 'cents'] : ['penny', 'pence'];
    const smallEnd = numeral.end + small[0].length;
    const words = say([...numeralWords(numeral, numbers), isOne(numeral) ? one : many], at, smallEnd);
    return withPer(text, words, smallEnd);
  }
  const sign = matchAt(SIGN_AFTER, text, end);
  if (!sign) return undefined;
  const signEnd = end + sign[0].length;
  const code = SIGNS[sign[1] ?? sign[2]!]!;
  return withPer(text, say(amountWords(amount, code, dialect), at, signEnd), signEnd);
}

/** "$5/month" is five dollars per month. */
function withPer(text: string, words: readonly VerbalizedWord[], end: number): Verbalization {
  const per = matchAt(PER, text, end);
  const name = per && englishPer(per[1]!);
  if (!name) return { words, end };
  return { words: [...words, ...say(`per ${name}`, end, end + per[0].length)], end: end + per[0].length };
}
