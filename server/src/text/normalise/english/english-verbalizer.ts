import { matchAt } from '../../match-at.ts';
import { americanNumbers, britishNumbers } from '../numbers/en.ts';
import {
  say,
  spell,
  spellPlural,
  type Verbalization,
  type VerbalizationContext,
  type VerbalizationRule,
  type VerbalizedWord,
} from '../verbalization.ts';
import { abbreviationRules } from './abbreviations.ts';
import { isShoutedWord, isSpelledLowerCase, LETTER_NOUN, lettersOfCode, readsAsLetters } from './acronyms.ts';
import { monthDateRule, numericDateRules } from './dates.ts';
import type { Dialect } from './dialect.ts';
import { codeRules, mixedCodeRule, phoneNumberRule } from './identifiers.ts';
import { measureRules } from './measures.ts';
import { moneyRules } from './money.ts';
import { markedNumberRules, plainNumberRule } from './plain-numbers.ts';
import { romanNumeralRule } from './roman-numerals.ts';
import { slashRules } from './slashes.ts';
import { symbolRules, verbalizeSymbol } from './symbols.ts';
import { chemicalFormulaRule } from './technical/chemical-formulas.ts';
import { codeNameRule } from './technical/code-names.ts';
import { coordinateRule } from './technical/coordinates.ts';
import { exponentRule, productRule } from './technical/exponents.ts';
import { latexRules } from './technical/latex.ts';
import { verbalizeFlag, verbalizeOperator, verbalizeTightComparison } from './technical/operators.ts';
import { timeRules, zoneRule } from './times.ts';
import { versionRule } from './versions.ts';
import { camelWords, webAddressRules } from './web-addresses.ts';
import { verbalizeWeekday } from './weekdays.ts';

/** Creates the verbalizer of English: all non-standard words are verbalized. */
export function createEnglishVerbalizer(isBritish: boolean): VerbalizationRule {
  const dialect: Dialect = { isBritish, numbers: isBritish ? britishNumbers : americanNumbers };
  const mixedCode = mixedCodeRule(dialect, lettersOfCode);
  // From the most specific rule to the most general; the first that applies is used.
  const numberRules = [
    phoneNumberRule(dialect),
    ...numericDateRules(dialect),
    ...codeRules(dialect),
    versionRule(dialect),
    ...moneyRules(dialect),
    ...timeRules(dialect),
    ...webAddressRules(dialect),
    coordinateRule(dialect),
    ...markedNumberRules(dialect),
    ...measureRules(dialect),
    mixedCode,
    plainNumberRule(dialect),
  ];
  const letterRules = [
    verbalizeGreekLetter,
    ...webAddressRules(dialect),
    ...moneyRules(dialect),
    versionRule(dialect),
    chemicalFormulaRule(dialect),
    productRule,
    codeNameRule(dialect),
    monthDateRule(dialect),
    zoneRule(dialect),
    romanNumeralRule(dialect),
    ...slashRules,
    verbalizeLetterSymbol,
    verbalizeWeekday,
    ...abbreviationRules,
    verbalizePrefix,
    verbalizeAmpersandName,
    mixedCode,
    verbalizeWord,
  ];
  const formulaRules = [
    verbalizeOperator,
    verbalizeTightComparison,
    verbalizeFlag,
    exponentRule(dialect),
    ...latexRules(dialect),
  ];
  const symbolPrefixRules = [
    ...moneyRules(dialect),
    ...webAddressRules(dialect),
    ...symbolRules(dialect),
    ...numberRules,
  ];

  return (context, at) => {
    const character = String.fromCodePoint(context.text.codePointAt(at)!);
    if (isDigit(character) || isFraction(character)) return applyFirstRule(numberRules, context, at);
    if (isLetter(character)) return applyFirstRule(letterRules, context, at);
    return applyFirstRule(formulaRules, context, at) ?? verbalizeWithPrefix(context, at, symbolPrefixRules);
  };
}

function applyFirstRule(
  rules: readonly VerbalizationRule[],
  context: VerbalizationContext,
  at: number,
): Verbalization | undefined {
  for (const rule of rules) {
    const verbalization = rule(context, at);
    if (verbalization) return verbalization;
  }
  return undefined;
}

/** Numbers with a leading symbol: -4, $5, .5, '90s, +44 20 …, #7. */
function verbalizeWithPrefix(
  context: VerbalizationContext,
  at: number,
  rules: readonly VerbalizationRule[],
): Verbalization | undefined {
  const { text } = context;
  const verbalization = /[$£€¥₹₩+(.'~/@#*§♥\\]/.test(text[at]!)
    ? applyFirstRule(rules, context, at)
    : undefined;
  if (verbalization) return verbalization;
  const symbol = verbalizeSymbol(context, at);
  if (!symbol || !/[\d$£€¥.]/.test(text[symbol.end] ?? '')) return symbol;
  const number = applyFirstRule(rules, context, symbol.end);
  return number ? { ...number, words: [...symbol.words, ...number.words] } : symbol;
}

const GREEK = /\p{Script=Greek}/uy;
const PREFIX = /\p{Ll}{3,12}-(?=\d{4}(?:s(?!\p{L}))?(?!\d))/uy;
const AMPERSAND_NAME = /(\p{Lu}{1,4})&(\p{Lu}{1,4})('?s)?(?!\p{L})/uy;

function verbalizeGreekLetter(context: VerbalizationContext, at: number): Verbalization | undefined {
  return matchAt(GREEK, context.text, at) ? verbalizeSymbol(context, at) : undefined;
}

/** "mid-1990s", "pre-2000": the number is verbalized separately. */
function verbalizePrefix({ text }: VerbalizationContext, at: number): Verbalization | undefined {
  const prefix = matchAt(PREFIX, text, at)?.[0];
  return prefix
    ? { words: say(prefix.slice(0, -1), at, at + prefix.length - 1), end: at + prefix.length }
    : undefined;
}

const LETTER_SIGN = /([A-Z])#(?![\p{L}\d])|([A-F])[+-](?=[\s,.;:!?)”]|$)(?!\s(?:and|or|to)\s\p{Lu}-\p{L})/uy;
const SIGNS_AFTER_LETTER: Readonly<Record<string, string>> = { '#': 'sharp', '+': 'plus', '-': 'minus' };

/** Musical notes, programming languages and grades: C#, an A+, a B-. */
function verbalizeLetterSymbol({ text }: VerbalizationContext, at: number): Verbalization | undefined {
  const match = matchAt(LETTER_SIGN, text, at);
  if (!match) return undefined;
  const sign = SIGNS_AFTER_LETTER[text[at + 1]!]!;
  return { words: [...spell(text[at]!, at, at + 1), ...say(sign, at + 1, at + 2)], end: at + 2 };
}

/** AT&T, R&D. */
function verbalizeAmpersandName({ text }: VerbalizationContext, at: number): Verbalization | undefined {
  const match = matchAt(AMPERSAND_NAME, text, at);
  if (!match) return undefined;
  const end = at + match[0].length;
  const last = match[3] ? spellPlural(match[2]!, at, end) : spell(match[2]!, at, end);
  return { words: [...spell(match[1]!, at, end), ...say('and', at, end), ...last], end };
}

const WORD = /\p{L}[\p{L}\p{M}]{0,63}(?:'\p{L}[\p{L}\p{M}]{0,15}|-(?=\p{L})[\p{L}\p{M}]{1,64}){0,12}/uy;
const CAPITALS_AROUND = /[\p{Lu}\s,'’-]{0,40}/uy;

/** A standard word, an acronym, a single letter, or a hyphenated word. */
function verbalizeWord(context: VerbalizationContext, at: number): Verbalization | undefined {
  const match = matchAt(WORD, context.text, at);
  if (!match) return undefined;
  const written = match[0];
  const end = at + written.length;
  if (isPossessivePlural(context.text, written, at, end))
    return { words: [{ text: `${written}'`, start: at, end: end + 1 }], end: end + 1 };
  if (written.includes('-') && /\p{Lu}{2}/u.test(written))
    return { words: hyphenated(context, written, at), end };
  return { words: wordParts(context, written, at), end };
}

const PLURAL = /^(?:\p{Ll}|\p{Lu}\p{Ll})[\p{Ll}-]+s$/u;
const QUOTE_OPEN = /(?:^|[\s(“—–-])'\p{L}(?:[^'\n]|\p{L}'\p{L})*$/u;
const QUOTE_MAX = 160;

/** Whether the apostrophe after a plural is a genitive ("the neighbors' house") and not a closing quotation mark. */
function isPossessivePlural(text: string, written: string, at: number, end: number): boolean {
  if (text[end] !== "'" || !PLURAL.test(written) || !/^\s\p{L}/u.test(text.slice(end + 1, end + 3)))
    return false;
  return !QUOTE_OPEN.test(text.slice(Math.max(0, at - QUOTE_MAX), at));
}

/** "CD-ROM", "non-EU": each part separately. */
function hyphenated(context: VerbalizationContext, written: string, at: number): VerbalizedWord[] {
  const words: VerbalizedWord[] = [];
  let start = at;
  for (const part of written.split('-')) {
    words.push(...wordParts(context, part, start));
    start += part.length + 1;
  }
  return words;
}

/** Camel case words that are not names: "getUserName", "ParseTreeNode"; "YouTube" and "iPhone" are not split. */
const IDENTIFIER = /^(?:\p{Ll}{2,}(?:\p{Lu}\p{Ll}+)+|\p{Lu}\p{Ll}+(?:\p{Lu}\p{Ll}+){2,})$/u;

function wordParts(context: VerbalizationContext, written: string, at: number): VerbalizedWord[] {
  const end = at + written.length;
  const suffix = /(?:'s|'S|(?<=\p{Lu}{2})s|(?<=^[B-HJ-LNP-TV-Z])s)$/u.exec(written)?.[0] ?? '';
  const stem = written.slice(0, written.length - suffix.length);
  if (stem.length === 1) return singleLetter(context, written, stem, suffix, at);
  if (/^\p{Lu}+$/u.test(stem)) return capitals(context, stem, suffix, at, end);
  if (/^\p{Ll}\p{Lu}$/u.test(written) || isSpelledLowerCase(written)) return spell(written, at, end);
  if (/^PhDs?$/.test(written))
    return written.endsWith('s') ? spellPlural('PhD', at, end) : spell('PhD', at, end);
  const system = /^(\p{Lu}?\p{Ll}+)(\p{Lu}{2,4})$/u.exec(stem);
  if (system) return systemName(system[1]!, system[2]!, suffix, at);
  return IDENTIFIER.test(written) ? camelWords(written, at) : say(written, at, end);
}

/** macOS, iOS, MySQL, OpenAI. */
function systemName(head: string, tail: string, suffix: string, at: number): VerbalizedWord[] {
  const middle = at + head.length;
  const end = middle + tail.length + suffix.length;
  const first = head.length === 1 ? spell(head, at, middle) : say(head, at, middle);
  return [...first, ...(suffix ? spellPlural(tail, middle, end) : spell(tail, middle, end))];
}

function capitals(
  context: VerbalizationContext,
  stem: string,
  suffix: string,
  at: number,
  end: number,
): VerbalizedWord[] {
  const isNamed = stem === 'WHO' && isOrganization(context, end);
  const isAcronym =
    isNamed || (readsAsLetters(stem) && !(isShoutedWord(stem) && isInCapitals(context.text, at, end)));
  if (!isAcronym) return say(`${stem.toLowerCase()}${suffix.toLowerCase()}`, at, end);
  return suffix ? spellPlural(stem, at, end) : spell(stem, at, end);
}

const REST_OF_SENTENCE = /[^.!?\n]{0,200}([.!?]?)/uy;
const ORGANIZATION_BEFORE = /^(?:the|by|to|from|with|of|at|and|for|per|an?|former|current|us|uk)$/i;

/** "the WHO", "WHO guidelines" and "the UN, WHO and IMF" are acronyms; "WHO said that?" is emphasis. */
function isOrganization({ text, previous }: VerbalizationContext, end: number): boolean {
  if (/^\p{Lu}{2,5}$/u.test(previous) && readsAsLetters(previous)) return true;
  if (previous.toLowerCase() === 'the') return true;
  const isQuestion = matchAt(REST_OF_SENTENCE, text, end)?.[1] === '?';
  const isBeforeWord = /^['\s-]{1,2}\p{Ll}/u.test(text.slice(end, end + 3)) || text.startsWith("'s", end);
  return !isQuestion && (ORGANIZATION_BEFORE.test(previous) || (previous === '' && isBeforeWord));
}

/** Whether the neighbouring words are in capitals too, so that capitals do not indicate an acronym. */
function isInCapitals(text: string, at: number, end: number): boolean {
  const after = matchAt(CAPITALS_AROUND, text, end)![0].replace(/[^\p{Lu}]/gu, '').length;
  const before = /[\p{Lu}\s,'-]*$/u
    .exec(text.slice(Math.max(0, at - 30), at))![0]
    .replace(/[^\p{Lu}]/gu, '').length;
  return after + before >= 6;
}

const LIST_NEXT =
  /\s{3}\p{Lu}(?![\p{L}\d'])|\s?(?:,\s\p{Lu}(?!\p{L})|(?:and|or)\s\p{Lu}(?!\p{L}))|[-/]\p{Lu}(?!\p{L})/uy;

const OPERATOR_NEXT = /\s?(?:&&|\|\||[=!<>]=|[=+*<>^])/uy;
const OPERATOR_BEFORE = /(?:&&|\|\||[=+*^<>])\s?$/u;

/** "A" is an article and "I" a pronoun, unless letters are named: "A, B and D", "plan A". */
function singleLetter(
  context: VerbalizationContext,
  written: string,
  letter: string,
  suffix: string,
  at: number,
): VerbalizedWord[] {
  const end = at + written.length;
  const isWord = /^[AaIO]$/.test(letter);
  const isNamed =
    (letter !== 'a' && LETTER_NOUN.test(context.previous)) ||
    matchAt(LIST_NEXT, context.text, end) !== null ||
    context.text[end] === ')' ||
    (/^[a-z]$/.test(letter) && matchAt(OPERATOR_NEXT, context.text, end) !== null) ||
    (/^[a-z]$/.test(letter) && OPERATOR_BEFORE.test(context.text.slice(Math.max(0, at - 4), at))) ||
    (letter === 'A' && /^[,;:.!?]/.test(context.text.slice(end, end + 1)));
  if (isWord && !isNamed) return say(letter === 'O' ? 'oh' : written, at, end);
  if (!/\p{Script=Latin}/u.test(letter)) return say(written, at, end);
  return suffix ? spellPlural(letter, at, end) : spell(letter, at, end);
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}

function isFraction(character: string): boolean {
  return /[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞]/u.test(character);
}

function isLetter(character: string): boolean {
  return /\p{L}/u.test(character);
}
