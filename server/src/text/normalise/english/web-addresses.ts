import { matchAt } from '../../match-at.ts';
import { pairedWords } from '../numbers/en.ts';
import {
  say,
  spell,
  type Verbalization,
  type VerbalizationContext,
  type VerbalizationRule,
  type VerbalizedWord,
} from '../verbalization.ts';
import { readsAsLetters, spellsInAddress } from './acronyms.ts';
import type { Dialect } from './dialect.ts';

/** URLs, e-mail addresses, file names, paths, @handles and #hashtags. */
export function webAddressRules(dialect: Dialect): VerbalizationRule[] {
  return [
    (context, at) => verbalizeAddress(context, at, dialect),
    (context, at) => verbalizeTag(context, at, dialect),
  ];
}

const CHUNK = /[^\s“”<>[\](){}]{3,400}/uy;
const SCHEME = /^(?:https?|ftp|file|mailto|ssh|git):(?:\/\/)?/i;
const EMAIL = /^[\p{L}\d][\p{L}\d._%+-]{0,63}@[\p{L}\d-]{1,63}(?:\.[\p{L}\d-]{1,63}){1,5}$/u;
const TOP_LEVEL =
  'com|org|net|edu|gov|mil|int|io|ai|co|uk|de|fr|es|it|eu|us|ca|au|nz|jp|cn|in|br|ru|ch|nl|se|no|dk|fi|pl|at|be|ie|info|biz|dev|app|me|tv|xyz|online|site|tech|store|blog|cloud|gg|ly|fm|to|audio';
const HOST = new RegExp(`^(?:[\\p{L}\\d-]{1,63}\\.){1,5}(?:${TOP_LEVEL})(?::\\d{1,5})?(?:[/?#].*)?$`, 'iu');
const FILE_NAME =
  /^[\p{L}\d_][\p{L}\d_.-]{0,80}\.(?:pdf|docx?|xlsx?|pptx?|csv|tsv|txt|md|json|ya?ml|toml|xml|html?|css|jsx?|tsx?|mjs|cjs|py|rb|rs|go|java|cpp|hpp|cs|sh|bat|exe|dll|zip|tar|gz|tgz|7z|rar|png|jpe?g|gif|svg|webp|mp3|mp4|wav|flac|ogg|opus|mov|avi|mkv|onnx|log|ini|cfg|conf|lock|sql|db|bin|iso|dmg|apk)$/iu;
const PATH =
  /^(?:~|\.{1,2})(?:\/[\p{L}\d._-]{1,60}){1,20}\/?$|^(?:\/[\p{L}\d._-]{1,60}){2,20}\/?$|^[A-Z]:\\[\p{L}\d._\\ -]{1,200}$/u;
const LOCALHOST = /^localhost(?::\d{1,5})?(?:\/.*)?$/i;
const TRAILING = new Set(".,;:!?'…");

/** Top-level domains and file extensions that are pronounced as words; others are spelled if unpronounceable. */
const PRONOUNCED_LABELS = new Set(
  'com org net edu gov info biz dev app me online site tech store blog cloud to int mil audio co zip tar bin log lock json yaml toml gif jpeg wav ogg'.split(
    ' ',
  ),
);

function verbalizeAddress(
  { text }: VerbalizationContext,
  at: number,
  { numbers }: Dialect,
): Verbalization | undefined {
  // "and/or/not" is not a path.
  if (text[at] === '/' && /[\p{L}\d]/u.test(text[at - 1] ?? '')) return undefined;
  const chunk = matchAt(CHUNK, text, at)?.[0];
  if (!chunk || !/[.@:/\\]/.test(chunk)) return undefined;
  const address = withoutTrailing(chunk).replace(/'s$/, '');
  if (!isAddress(address)) return undefined;
  const scheme = SCHEME.exec(address)?.[0] ?? '';
  const words = addressWords(address.slice(scheme.length).replace(/\/$/, ''), at + scheme.length, numbers);
  if (words.length === 0) return undefined;
  words[0] = { ...words[0]!, start: at };
  return { words: extendFirst(words, at), end: at + address.length };
}

/** Without punctuation at the end. One pass, because a chunk that is no address is examined at each of its characters. */
function withoutTrailing(chunk: string): string {
  let end = chunk.length;
  while (end > 0 && TRAILING.has(chunk[end - 1]!)) end--;
  return chunk.slice(0, end);
}

/** Extends the source span of the words that share the first span. */
function extendFirst(words: readonly VerbalizedWord[], at: number): VerbalizedWord[] {
  const end = words[0]!.end;
  return words.map((word) => (word.end === end ? { ...word, start: at } : word));
}

function isAddress(chunk: string): boolean {
  return (
    (SCHEME.test(chunk) && chunk.includes('//') && /[\p{L}\d]$|\/$/u.test(chunk)) ||
    /^www\.[\p{L}\d]/iu.test(chunk) ||
    EMAIL.test(chunk.replace(/^mailto:/i, '')) ||
    HOST.test(chunk) ||
    FILE_NAME.test(chunk) ||
    PATH.test(chunk) ||
    LOCALHOST.test(chunk)
  );
}

const SYMBOL_WORDS: Readonly<Record<string, string>> = {
  ...{
    '.': 'dot',
    '/': 'slash',
    '@': 'at',
    '-': 'dash',
    _: 'underscore',
    '+': 'plus',
    ':': 'colon',
    '?': 'question mark',
  },
  ...{ '=': 'equals', '&': 'and', '%': 'percent', '#': 'hash', '~': 'tilde', '\\': 'backslash' },
};

function addressWords(address: string, start: number, numbers: Dialect['numbers']): VerbalizedWord[] {
  const words: VerbalizedWord[] = [];
  for (const part of address.matchAll(/\p{L}+|\d+|[^\p{L}\d]/gu)) {
    const [from, to] = [start + part.index, start + part.index + part[0].length];
    if (/^\d/.test(part[0])) {
      const isPort = address[part.index - 1] === ':' && /^\d{4}$/.test(part[0]) && !part[0].endsWith('00');
      words.push(...(isPort ? say(pairedWords(part[0]), from, to) : digitWords(part[0], from, numbers)));
    } else if (/^\p{L}/u.test(part[0])) words.push(...labelWords(part[0], from, address, part.index));
    else {
      const sign = SYMBOL_WORDS[part[0]];
      if (sign) words.push(...say(sign, from, to));
    }
  }
  return words;
}

/** Short numbers as numbers. Digits of long ones have their own source spans, so that they can be split. */
function digitWords(digits: string, start: number, numbers: Dialect['numbers']): VerbalizedWord[] {
  if (digits.length <= 4 && !digits.startsWith('0'))
    return say(numbers.cardinal(digits), start, start + digits.length);
  return Array.from(digits, (digit, i) => say(numbers.digits(digit), start + i, start + i + 1)[0]!);
}

/** Labels of an address: "www" and unpronounceable ones are spelled, the others are words. */
function labelWords(label: string, start: number, address: string, index: number): VerbalizedWord[] {
  const end = start + label.length;
  const lower = label.toLowerCase();
  if (lower === 'www') return spell('www', start, end);
  const isEnding = address[index - 1] === '.' && /^[/?#:]?$/.test(address[index + label.length] ?? '');
  if (lower === 'txt') return say('text', start, end);
  if (PRONOUNCED_LABELS.has(lower)) return say(lower, start, end);
  if (isEnding && label.length <= 4) return spell(label, start, end);
  const isOneCase = label === lower || label === label.toUpperCase();
  // A longer label with vowels is a name, even if no English word ends like it.
  const canBeSpelled = label.length <= 4 || (label.length <= 6 && NO_VOWEL.test(label));
  const isSpelled = isOneCase && canBeSpelled && spellsInAddress(lower);
  return isSpelled ? spell(label, start, end) : camelWords(label, start);
}

const NO_VOWEL = /^[b-df-hj-np-tv-xz]{2,6}$/i;

/** Splits a camel case word: "getUserName", "ClimateChange". */
export function camelWords(label: string, start: number): VerbalizedWord[] {
  const words: VerbalizedWord[] = [];
  for (const part of label.matchAll(/\p{Lu}{2,}(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{Lu}|[^\p{Lu}\p{Ll}]+/gu)) {
    const [from, to] = [start + part.index, start + part.index + part[0].length];
    if (part[0].length > 1 && readsAsLetters(part[0])) words.push(...spell(part[0], from, to));
    else if (part[0].length === 1 || NO_VOWEL.test(part[0])) words.push(...spell(part[0], from, to));
    else words.push(...say(/\p{Ll}/u.test(part[0]) ? part[0] : part[0].toLowerCase(), from, to));
  }
  return words;
}

const TAG = /([@#])(?=\d{0,8}\p{L})([\p{L}\d][\p{L}\p{M}\d_]{0,60})(?!-)/uy;

function verbalizeTag(
  { text }: VerbalizationContext,
  at: number,
  { numbers }: Dialect,
): Verbalization | undefined {
  const match = matchAt(TAG, text, at);
  if (!match) return undefined;
  const [written, sign, name] = match;
  const words = say(sign === '@' ? 'at' : 'hashtag', at, at + 1);
  for (const part of name!.matchAll(/[\p{L}\p{M}]+|\d+/gu)) {
    const start = at + 1 + part.index;
    if (/^\d/.test(part[0]))
      words.push(
        ...say(
          part[0].length === 4 ? numbers.year(part[0]) : numbers.cardinal(part[0]),
          start,
          start + part[0].length,
        ),
      );
    else words.push(...camelWords(part[0], start));
  }
  return { words, end: at + written.length };
}
