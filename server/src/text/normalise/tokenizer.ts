import { type CueStyle, findCue } from '../markup/cues.ts';
import { matchAt } from '../match-at.ts';
import type { VerbalizationRule, VerbalizedWord } from './verbalization.ts';

/** Strengths of prosodic breaks, ascending. */
export const BREAK_STRENGTHS = {
  none: 0,
  /** Predicted breaks before words that begin a phrase or a clause. */
  phrase: 1,
  clauseStart: 2,
  comma: 3,
  clause: 4,
  sentence: 5,
  paragraph: 6,
} as const;
export type BreakStrength = (typeof BREAK_STRENGTHS)[keyof typeof BREAK_STRENGTHS];

/** A token of a clean text. Offsets are those of the clean text. */
export type Token =
  | {
      readonly kind: 'words';
      readonly words: readonly VerbalizedWord[];
      readonly start: number;
      readonly end: number;
    }
  | { readonly kind: 'open'; readonly punctuation: string; readonly start: number; readonly end: number }
  | {
      readonly kind: 'close';
      readonly punctuation: string;
      readonly breakStrength: BreakStrength;
      readonly start: number;
      readonly end: number;
    }
  | { readonly kind: 'cue'; readonly name: string; readonly start: number; readonly end: number }
  | { readonly kind: 'speaker'; readonly speaker: number; readonly start: number; readonly end: number };

const SPACE = /\s{1,4096}/uy;
/** Excludes an address in angle brackets: <jane@example.com>. */
const MARKUP_TAG =
  /<(?![^<>\s]{1,300}(?:@|:\/\/)[^<>\s]{0,300}>)(?:\/?[a-zA-Z][^<>]{0,300}|!--[^>]{0,300}--)>/y;
const LINK_TARGET = /\]\((?:https?:|\/|#|mailto:|www\.|\.)[^()\s]{0,400}\)/y;
const CLOSING = /[.,;:!?…‥。，、！？：；।॥؛—–”')\]}]{1,64}/uy;
const SPACED_DASH = /-{1,3}(?=\s|$|\p{L}|”)/uy;

/** Number of characters after which a step ends. A character costs up to 30 µs. */
const STEP_CHARACTERS = 500;

/**
 * Tokenizes a clean text, lazily. Words are verbalized with the rule of the language. Undefined marks the end of a step:
 * characters that may have given no token.
 */
export function* tokenize(
  text: string,
  verbalize: VerbalizationRule,
  cueStyle: CueStyle,
): Generator<Token | undefined> {
  let at = 0;
  let stepEnd = STEP_CHARACTERS;
  let previous = '';
  let beforePrevious = '';
  while (at < text.length) {
    if (at >= stepEnd) {
      stepEnd = at + STEP_CHARACTERS;
      yield undefined;
    }
    const start = at;
    // Most tokens are words. None of the other patterns begins with a letter.
    if (!isBasicLetter(text.charCodeAt(at))) {
      const space = matchAt(SPACE, text, at);
      if (space) {
        at += space[0].length;
        continue;
      }
      const cue = findCue(text, at, cueStyle);
      if (cue) {
        at = cue.end;
        if (cue.name !== undefined) yield { kind: 'cue', name: cue.name, start, end: at };
        if (cue.speaker !== undefined) yield { kind: 'speaker', speaker: cue.speaker, start, end: at };
        continue;
      }
      const markup = matchAt(MARKUP_TAG, text, at) ?? matchAt(LINK_TARGET, text, at);
      if (markup) {
        at += markup[0].length;
        continue;
      }
    }
    const verbalization = verbalize({ text, previous, beforePrevious }, at);
    if (verbalization) {
      at = verbalization.end;
      yield { kind: 'words', words: verbalization.words, start, end: at };
      [beforePrevious, previous] = [previous, text.slice(start, Math.min(at, start + 40))];
      if (!verbalization.endsSentence) continue;
      yield { kind: 'close', punctuation: '.', breakStrength: BREAK_STRENGTHS.sentence, start: at, end: at };
      [beforePrevious, previous] = ['', ''];
      continue;
    }
    const token = openingToken(text, at) ?? closingToken(text, at);
    at = token?.end ?? at + (text.codePointAt(at)! > 0xffff ? 2 : 1);
    if (!token) continue;
    yield token;
    if (token.kind === 'close' && token.breakStrength >= BREAK_STRENGTHS.sentence)
      [beforePrevious, previous] = ['', ''];
  }
}

function isBasicLetter(unit: number): boolean {
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

function openingToken(text: string, at: number): (Token & { kind: 'open' }) | undefined {
  const character = text[at];
  if (character !== '“' && character !== '(') return undefined;
  return { kind: 'open', punctuation: character, start: at, end: at + 1 };
}

/** A cluster of closing punctuation, with its break strength. */
function closingToken(text: string, at: number): (Token & { kind: 'close' }) | undefined {
  const dash = matchAt(SPACED_DASH, text, at);
  if (dash) return dashToken(text, at, at + dash[0].length);
  const match = matchAt(CLOSING, text, at);
  if (!match) return undefined;
  const cluster = match[0];
  const end = at + cluster.length;
  const stop = mainPunctuation(cluster);
  const closers = [...(cluster.includes('”') ? '”' : ''), ...(cluster.includes(')') ? ')' : '')].join('');
  const breakStrength = breakStrengthOf(stop, cluster, text, at, end);
  // A full stop inside a word is no punctuation.
  const mainMark = stop === '.' && breakStrength === BREAK_STRENGTHS.none ? '' : stop;
  if (mainMark === '' && closers === '') return undefined;
  return { kind: 'close', punctuation: mainMark + closers, breakStrength, start: at, end };
}

function dashToken(text: string, at: number, end: number): (Token & { kind: 'close' }) | undefined {
  const isSpaced = /\s|^$/.test(text[at - 1] ?? '') && /\s|^$/.test(text[end] ?? '');
  if (end - at === 1 && !isSpaced) return undefined;
  return { kind: 'close', punctuation: '—', breakStrength: BREAK_STRENGTHS.clause, start: at, end };
}

/** Reduces a cluster to one punctuation mark: "?!" to "?", "..." to "…". */
function mainPunctuation(cluster: string): string {
  if (/[?？]/.test(cluster)) return '?';
  if (/[!！]/.test(cluster)) return '!';
  if (/…|‥|\.\.|。。/.test(cluster)) return '…';
  if (/[.。।॥]/.test(cluster)) return '.';
  if (/[—–]/.test(cluster)) return '—';
  if (/[;；؛]/.test(cluster)) return ';';
  if (/[:：]/.test(cluster)) return ':';
  return /[,，、]/.test(cluster) ? ',' : '';
}

const LOWER_CASE_NEXT = /\s{0,3}[“('[]?\p{Ll}/uy;

function breakStrengthOf(
  stop: string,
  cluster: string,
  text: string,
  at: number,
  end: number,
): BreakStrength {
  switch (stop) {
    case '':
      return cluster.includes(')') ? BREAK_STRENGTHS.comma : BREAK_STRENGTHS.none;
    case ',':
      return BREAK_STRENGTHS.comma;
    case ';':
    case ':':
    case '—':
      return BREAK_STRENGTHS.clause;
    case '…':
      return matchAt(LOWER_CASE_NEXT, text, end) ? BREAK_STRENGTHS.comma : BREAK_STRENGTHS.sentence;
    default:
      return sentenceBreakStrength(stop, cluster, text, at, end);
  }
}

function sentenceBreakStrength(
  stop: string,
  cluster: string,
  text: string,
  at: number,
  end: number,
): BreakStrength {
  if (/[。！？।॥]/.test(cluster)) return BREAK_STRENGTHS.sentence;
  const next = text[end] ?? ' ';
  if (!/[\s“(*_~`<[]/.test(next)) {
    // "end.Next" lacks a space; "foo.bar" does not.
    const isSpaceMissing = /\p{Lu}/u.test(next) && /[\p{Ll}”)]/u.test(text[at - 1] ?? '');
    if (stop === '.' && !isSpaceMissing) return BREAK_STRENGTHS.none;
    return isSpaceMissing ? BREAK_STRENGTHS.sentence : BREAK_STRENGTHS.comma;
  }
  // “Stop!” she said.
  const isQuoted = /[”')]/.test(cluster);
  return isQuoted && matchAt(LOWER_CASE_NEXT, text, end) ? BREAK_STRENGTHS.comma : BREAK_STRENGTHS.sentence;
}
