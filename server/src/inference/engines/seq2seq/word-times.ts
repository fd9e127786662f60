import type { AsrWord } from '../../../domain/engines/asr-engine.ts';

/** A token of a text with what is known of it. */
export interface TimedToken {
  /** The bytes of its text, in UTF-8; several tokens may share one letter. */
  readonly bytes: Uint8Array;
  readonly logProbability: number;
  /** When it begins to be heard. */
  readonly startSeconds: number;
}

/** Scripts that are written without spaces: each letter stands for itself. */
const SPACELESS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const ONLY_PUNCTUATION = /^[\p{P}\p{S}]+$/u;

interface Group {
  text: string;
  tokens: TimedToken[];
}

/** Joins tokens to words with their times. `endSeconds` is when the last of them is over. */
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

/** The text of tokens, letters that are cut in the middle left out. */
export function textOf(tokens: readonly Pick<TimedToken, 'bytes'>[]): string {
  return decode(tokens.map((token) => token.bytes)).replaceAll('\uFFFD', '');
}

function groupWords(tokens: readonly TimedToken[]): Group[] {
  const groups: Group[] = [];
  let pending: TimedToken[] = [];
  for (const token of tokens) {
    pending.push(token);
    const text = decode(pending.map(({ bytes }) => bytes));
    if (text.includes('\uFFFD') || text === '') continue; // A letter is spread over several tokens.
    const last = groups.at(-1);
    if (last === undefined || beginsWord(text, last.text)) groups.push({ text, tokens: pending });
    else {
      last.text += text;
      last.tokens.push(...pending);
    }
    pending = [];
  }
  return groups.filter((group) => group.text.trim() !== '');
}

function beginsWord(text: string, before: string): boolean {
  if (ONLY_PUNCTUATION.test(text.trim()) && before.trim() !== '') return false;
  if (text.startsWith(' ')) return before.trim() !== '';
  return SPACELESS.test(text[0]!) || SPACELESS.test(before.at(-1)!);
}

function decode(parts: readonly Uint8Array[]): string {
  return Buffer.concat(parts).toString('utf8');
}
