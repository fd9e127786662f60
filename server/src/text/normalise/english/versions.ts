import { matchAt } from '../../match-at.ts';
import { pairWords } from '../numbers/en.ts';
import {
  say,
  type Verbalization,
  type VerbalizationContext,
  type VerbalizationRule,
  type VerbalizedWord,
} from '../verbalization.ts';
import type { Dialect } from './dialect.ts';

/** Versions, which may begin with a "v": v2.1, 2.10.3, Python 3.12. */
export function versionRule(dialect: Dialect): VerbalizationRule {
  return (context, at) =>
    verbalizeShortVersion(context, at, dialect) ?? verbalizeVersion(context, at, dialect);
}

const VERSION = /(?:[vV]\.?\s?)?(\d{1,6}(?:\.\d{1,6}){1,5})(?![\d]|\.\d)(?:-([a-z]{2,8})\.?(\d{1,3})?)?/y;

/** Words before a version number: names of software, and words such as "version". */
const VERSIONED = new Set(
  (
    'version release build update python node java ubuntu debian fedora linux kernel android windows php ruby rust go perl ' +
    'swift kotlin scala julia lua chrome firefox safari django rails react angular vue laravel spring docker kubernetes ' +
    'terraform redis postgres unity unreal blender godot clang cmake bash git npm ios'
  ).split(' '),
);

/** Whether the preceding word is the name of software; camel case counts as one: TypeScript, macOS, OpenSSL. */
function isVersioned({ previous }: VerbalizationContext): boolean {
  return VERSIONED.has(previous.toLowerCase()) || /\p{Ll}\p{Lu}|\.js$/u.test(previous);
}

function verbalizeVersion(
  context: VerbalizationContext,
  at: number,
  { numbers }: Dialect,
): Verbalization | undefined {
  const { text, previous } = context;
  const match = matchAt(VERSION, text, at);
  if (!match) return undefined;
  const [written, digits, stage, stageNumber] = match;
  const hasLetter = /^[vV]/.test(written);
  const parts = digits!.split('.');
  // 1.000.000 is a million.
  if (!hasLetter && /^\d{1,3}(?:\.\d{3}){2,}$/.test(digits!)) return undefined;
  // Two parts are a decimal number, unless a "v" or the name of software precedes them.
  if (!hasLetter && parts.length < 3 && !isVersioned(context)) return undefined;
  const words: VerbalizedWord[] = [];
  const numberAt = at + written.indexOf(digits!);
  if (hasLetter && previous.toLowerCase() !== 'version') words.push(...say('version', at, numberAt));
  let start = numberAt;
  for (const [index, part] of parts.entries()) {
    if (index > 0) words.push(...say('point', start - 1, start));
    words.push(...say(partWords(part, numbers), start, start + part.length));
    start += part.length + 1;
  }
  if (stage !== undefined) {
    const end = at + written.length;
    const tail = stageNumber === undefined ? [] : numbers.cardinal(stageNumber);
    words.push(...say([stage, ...tail], numberAt + digits!.length, end));
  }
  return { words, end: at + written.length };
}

/** "3.12" is three point twelve, but "22.04" twenty two point oh four. */
function partWords(part: string, numbers: Dialect['numbers']): readonly string[] {
  if (/^0\d$/.test(part)) return pairWords(part);
  return part.length > 3 || (part.length > 1 && part.startsWith('0'))
    ? numbers.digits(part)
    : numbers.cardinal(part);
}

const SHORT_VERSION = /[vV](\d{1,4})(?![\p{L}\d.]|\.\d)/uy;

function verbalizeShortVersion(
  { text, previous }: VerbalizationContext,
  at: number,
  { numbers }: Dialect,
): Verbalization | undefined {
  const match = matchAt(SHORT_VERSION, text, at);
  if (!match) return undefined;
  const end = at + match[0].length;
  const head = previous.toLowerCase() === 'version' ? [] : say('version', at, at + 1);
  return { words: [...head, ...say(numbers.cardinal(match[1]!), at + 1, end)], end };
}
