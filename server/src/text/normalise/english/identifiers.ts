import { matchAt } from '../../match-at.ts';
import { pairedWords } from '../numbers/en.ts';
import {
  addPauseAfter,
  say,
  spell,
  type Verbalization,
  type VerbalizationContext,
  type VerbalizationRule,
  type VerbalizedWord,
} from '../verbalization.ts';
import type { Dialect } from './dialect.ts';

/** Numbers that are identifiers, not quantities: telephone numbers, network addresses, long codes. */
export function codeRules(dialect: Dialect): VerbalizationRule[] {
  return [
    phoneNumberRule(dialect),
    (context, at) => verbalizeAircraft(context, at, dialect),
    (context, at) => verbalizeIpAddress(context, at, dialect),
    (context, at) => verbalizeParagraphCode(context, at, dialect),
    (context, at) => verbalizeLongCode(context, at, dialect),
  ];
}

/** Telephone numbers, which may begin with a plus sign or a parenthesis. */
export function phoneNumberRule(dialect: Dialect): VerbalizationRule {
  return (context, at) => verbalizePhoneNumber(context, at, dialect);
}

const PHONE =
  /(?:\+?1[-. ])?\(\d{3}\)\s?\d{3}[-. ]\d{4}(?!\d)|(?:\+?1[-. ])?\d{3}([-. ])\d{3}\1\d{4}(?!\d)|\d{3}-\d{4}(?![\d-])|1-(?:800|888|877|866)-[\dA-Z]{3,10}(?:-\d{4})?(?![\dA-Z])|\+\d{1,3}(?:[-. ]?\(?\d{1,4}\)?){2,6}(?!\d)|0\d{2,4}[- ]\d{3,4}[- ]?\d{3,4}(?!\d)/y;
const EXTENSION = /\sx\s?(\d{1,6})(?![\p{L}\d])/uy;
const PHONE_WORDS = new Set([
  'call',
  'phone',
  'number',
  'tel',
  'tel.',
  'telephone',
  'fax',
  'dial',
  'text',
  'mobile',
  'cell',
  'hotline',
]);
const BARE_PHONE = /\d{7,12}(?![\d,.]\d|\d|\p{L})/uy;

function verbalizePhoneNumber(
  { text, previous }: VerbalizationContext,
  at: number,
  { numbers }: Dialect,
): Verbalization | undefined {
  const match =
    matchAt(PHONE, text, at) ??
    (PHONE_WORDS.has(previous.toLowerCase()) ? matchAt(BARE_PHONE, text, at) : null) ??
    matchServiceNumber(text, at, previous);
  if (!match) return undefined;
  const written = match[0];
  const words: VerbalizedWord[] = [];
  for (const group of written.matchAll(/\+|\d+|[A-Z]+/g)) {
    const [start, end] = [at + group.index, at + group.index + group[0].length];
    if (group[0] === '+') words.push(...say('plus', start, end));
    else if (/[A-Z]/.test(group[0])) words.push(...say(group[0].toLowerCase(), start, end));
    else if (/^[1-9]00$/.test(group[0]))
      words.push(...addPauseAfter(say(numbers.cardinal(group[0]), start, end)));
    else words.push(...addPauseAfter(say(numbers.digits(group[0]), start, end)));
  }
  const end = at + written.length;
  const extension = matchAt(EXTENSION, text, end);
  if (!extension) return { words: withoutLastPause(words), end };
  const extensionEnd = end + extension[0].length;
  const tail = say(['extension', ...numbers.digits(extension[1]!)], end + 1, extensionEnd);
  return { words: [...words, ...tail], end: extensionEnd };
}

/** Emergency and service numbers. */
const SERVICE_NUMBER = /(?:[2-9]11|999|112|000|111|101|988)(?![\p{L}\d%]|[.,:/–-]\d)/uy;
const SERVICE_NEXT =
  /\s(?:calls?|callers?|operators?|dispatch\p{L}{0,4}|emergenc(?:y|ies)|hotline|helpline|system)(?!\p{L})/uy;
const CALLED =
  /^(?:call|calls|called|calling|dial|dials|dialed|dialled|dialing|dialling|ring|rang|phone|phoned|text|texted)$/i;
const DIALED = /\d{2,6}(?![\p{L}\d%]|[.,:/–-]\d)/uy;
const SHORT_CODE = /\d{5,6}(?![\p{L}\d%]|[.,:/–-]\d)/uy;

/** "dial 911", "a 999 call", "text 741741". */
function matchServiceNumber(text: string, at: number, previous: string): RegExpExecArray | null {
  if (/^dial/i.test(previous)) return matchAt(DIALED, text, at);
  if (/^text/i.test(previous)) return matchAt(SHORT_CODE, text, at) ?? matchAt(SERVICE_NUMBER, text, at);
  const match = matchAt(SERVICE_NUMBER, text, at);
  return match && (CALLED.test(previous) || matchAt(SERVICE_NEXT, text, at + match[0].length)) ? match : null;
}

function withoutLastPause(words: readonly VerbalizedWord[]): VerbalizedWord[] {
  return words.map((word, index) => {
    if (index < words.length - 1) return word;
    const { after: _, ...rest } = word;
    return rest;
  });
}

const IP_ADDRESS =
  /(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}(?![\d]|\.\d)(?::\d{1,5})?/y;
function verbalizeIpAddress(
  { text }: VerbalizationContext,
  at: number,
  { numbers }: Dialect,
): Verbalization | undefined {
  const match = matchAt(IP_ADDRESS, text, at);
  if (!match) return undefined;
  const words: VerbalizedWord[] = [];
  for (const part of match[0].matchAll(/\d+|[.:]/g)) {
    const [start, end] = [at + part.index, at + part.index + part[0].length];
    const isSign = part[0] === '.' || part[0] === ':';
    words.push(...say(isSign ? (part[0] === '.' ? 'dot' : 'port') : octet(part[0], numbers), start, end));
  }
  return { words, end: at + match[0].length };
}

function octet(digits: string, numbers: Dialect['numbers']): readonly string[] {
  return digits.length === 3 && !digits.endsWith('00') ? pairedWords(digits) : numbers.cardinal(digits);
}

const LONG_CODE =
  /\d{5}-\d{4}(?![\p{L}\d-])|\d{4}(?: \d{4}){3}(?!\d)|\d{1,16}(?:-\d{1,16}){2,8}(?![\p{L}\d])/uy;
const LONG_DIGITS = /\d{25,}/y;
/** ISBNs, card numbers, and digit sequences beyond the largest number name. */
function verbalizeLongCode(
  { text }: VerbalizationContext,
  at: number,
  { numbers }: Dialect,
): Verbalization | undefined {
  const match = matchAt(LONG_CODE, text, at) ?? matchAt(LONG_DIGITS, text, at);
  if (!match) return undefined;
  const words: VerbalizedWord[] = [];
  for (const group of match[0].matchAll(/\d+/g)) {
    const start = at + group.index;
    // Each digit has its own source span, so that a long sequence can be split into pieces.
    const digits = Array.from(
      group[0],
      (digit, i) => say(numbers.digits(digit), start + i, start + i + 1)[0]!,
    );
    words.push(...addPauseAfter(digits));
  }
  return { words: withoutLastPause(words), end: at + match[0].length };
}

const AIRCRAFT = /(7[0-8]7)(?:-(\d{1,3})(?![\d-]|\.\d)|s(?![\p{L}\d]))/uy;

/** Variants of aircraft: "747-400" is "seven forty seven four hundred". */
function verbalizeAircraft(
  { text }: VerbalizationContext,
  at: number,
  { numbers }: Dialect,
): Verbalization | undefined {
  const match = matchAt(AIRCRAFT, text, at);
  if (!match || /^\p{L}/u.test(text.slice(at + match[0].length, at + match[0].length + 1))) return undefined;
  const end = at + match[0].length;
  const words = say(pairedWords(match[1]!), at, at + 3);
  if (match[2] === undefined) return { words: pluralOf(words), end };
  return { words: [...words, ...say(codeNumber(match[2], numbers), at + 4, end)], end };
}

const PARAGRAPH_CODE = /\d{3}(?:\([a-z\d]\)){1,3}(?![\p{L}\d])/uy;

/** 401(k), 501(c)(3). */
function verbalizeParagraphCode(
  { text }: VerbalizationContext,
  at: number,
  { numbers }: Dialect,
): Verbalization | undefined {
  const written = matchAt(PARAGRAPH_CODE, text, at)?.[0];
  if (!written) return undefined;
  const words = say(pairedWords(written.slice(0, 3)), at, at + 3);
  for (const part of written.matchAll(/\(([a-z\d])\)/g)) {
    const [start, end] = [at + part.index, at + part.index + 3];
    words.push(
      ...(/\d/.test(part[1]!) ? say(numbers.digits(part[1]!), start, end) : spell(part[1]!, start, end)),
    );
  }
  return { words, end: at + written.length };
}

const MIXED =
  /(?=[\p{L}\d-]{0,40}\d)(?=[\d-]{0,40}\p{L})[\p{L}\d]{1,40}(?:-[\p{L}\d]{1,40}){0,6}(?:\.\d{1,3})?(?![\p{L}\d]|\.\d)/uy;

/** Letters mixed with digits: MP3, GPT-4, A320, 4K, COVID-19, R2-D2. `verbalizeLetters` verbalizes a run of letters. */
export function mixedCodeRule(
  { numbers }: Dialect,
  verbalizeLetters: (letters: string, start: number) => readonly VerbalizedWord[],
): VerbalizationRule {
  return ({ text }, at) => {
    const match = matchAt(MIXED, text, at);
    // "18-25-year-olds" is a range.
    if (!match || !/\d/.test(match[0]) || /^\d{1,4}-\d{1,4}-\p{Ll}{3}/u.test(match[0])) return undefined;
    const runs = [...match[0].matchAll(/\d+|\p{L}+|\./gu)];
    const isHash = runs.length >= 4 && /[a-z]/.test(match[0]) && !match[0].includes('-');
    const words: VerbalizedWord[] = [];
    const isPlural = runs.length > 1 && runs.at(-1)![0] === 's' && /\d/.test(runs.at(-2)![0]);
    for (const run of isPlural ? runs.slice(0, -1) : runs) {
      const [start, end] = [at + run.index, at + run.index + run[0].length];
      if (/\d/.test(run[0]))
        words.push(...say(isHash ? numbers.digits(run[0]) : codeNumber(run[0], numbers), start, end));
      else if (run[0] === '.') words.push(...say('point', start, end));
      else if (isHash) words.push(...spell(run[0], start, end));
      else words.push(...verbalizeLetters(run[0], start));
    }
    return { words: isPlural ? pluralOf(words) : words, end: at + match[0].length };
  };
}

/** "B-52s": the last number in the plural. */
function pluralOf(words: readonly VerbalizedWord[]): VerbalizedWord[] {
  const last = words.at(-1)!;
  const ending = last.text.endsWith('y') ? 'ies' : /x$/.test(last.text) ? 'es' : 's';
  const stem = last.text.endsWith('y') ? last.text.slice(0, -1) : last.text;
  return [...words.slice(0, -1), { ...last, text: stem + ending, end: last.end + 1 }];
}

/** Digits within a code: short sequences as a number, longer ones in pairs or digit by digit. */
function codeNumber(digits: string, numbers: Dialect['numbers']): readonly string[] {
  if (digits.startsWith('0') || digits.length > 4) return numbers.digits(digits);
  if (digits.length <= 2 || digits.endsWith('00')) return numbers.cardinal(digits);
  return pairedWords(digits);
}
