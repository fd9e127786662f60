import type { AsrWord } from '../../../domain/engines/asr-engine.ts';

/** A token with its probability and start time. */
export interface TimedToken {
  /** Its text in UTF-8. A character may be divided between several tokens. */
  readonly bytes: Uint8Array;
  readonly logProbability: number;
  readonly startSeconds: number;
}

/** Scripts without spaces between words: each character is a word. */
const SPACELESS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const ONLY_PUNCTUATION = /^[\p{P}\p{S}]+$/u;

interface Group {
  text: string;
  tokens: TimedToken[];
}

/** Joins tokens to words with their times. `endSeconds` is the end of the last token. */
export function wordsOf(tokens: readonly TimedToken[], endSeconds: number): AsrWord[] {
  const groups = groupWords(tokens);
  return groups.map((group, index) => {
    const start = group.tokens[0]!.startSeconds;
    const end = groups[index + 1]?.tokens[0]?.startSeconds ?? endSeconds;
    const logSum = group.tokens.reduce((sum, token) => sum + token.logProbability, 0);
    return {
      text: group.text.trim(),
      startSeconds: start,
      endSeconds: Math.max(start, end),
      confidence: Math.exp(logSum / group.tokens.length),
    };
  });
}

/** The text of tokens without incomplete characters. */
export function textOf(tokens: readonly Pick<TimedToken, 'bytes'>[]): string {
  return decode(tokens.map((token) => token.bytes)).replaceAll('\uFFFD', '');
}

function groupWords(tokens: readonly TimedToken[]): Group[] {
  const groups: Group[] = [];
  let pending: TimedToken[] = [];
  for (const token of tokens) {
    pending.push(token);
    const text = decode(pending.map(({ bytes }) => bytes));
    if (text.includes('\uFFFD') || text === '') continue; // The character continues in the next token.
    const last = groups.at(-1);
    if (last === undefined || startsWord(text, last.text)) groups.push({ text, tokens: pending });
    else {
      last.text += text;
      last.tokens.push(...pending);
    }
    pending = [];
  }
  return groups.filter((group) => group.text.trim() !== '');
}

function startsWord(text: string, before: string): boolean {
  if (ONLY_PUNCTUATION.test(text.trim()) && before.trim() !== '') return false;
  if (text.startsWith(' ')) return before.trim() !== '';
  return SPACELESS.test(text[0]!) || SPACELESS.test(before.at(-1)!);
}

function decode(parts: readonly Uint8Array[]): string {
  return Buffer.concat(parts).toString('utf8');
}
