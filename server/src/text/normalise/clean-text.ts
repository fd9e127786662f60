/**
 * A span of the source with normalized characters: one kind of apostrophe, space and digit, no invisible
 * characters, no emoji. Maps each character to its source.
 */
export interface CleanText {
  readonly text: string;
  /** Source offset of the character at `index`. */
  startOf(index: number): number;
  /** Source offset after the character before `index`. */
  endOf(index: number): number;
}

/** Equivalent characters. An empty string drops the character, a space separates words. */
const REPLACEMENTS = new Map<string, string>([
  ...sameFor("'", '‘’‚‛ʼʻʹ′＇´'),
  ...sameFor('“', '«„‟〝「『《〈‹'),
  ...sameFor('”', '»〞〟」』》〉›″＂'),
  ...sameFor('-', '‐‑﹣－−'),
  ...sameFor('–', '‒'),
  ...sameFor('—', '―⸺⸻﹘──━'),
  ...sameFor(' ', '\t\v\f\u0085\u00a0\u1680\u202f\u205f\u3000\u2800®™℠©•‣◦▪●○■□◆◇★☆→←↑↓⇒⇐►▶▸✓✔✗✘|¦†‡※'),
  ...sameFor('…', '⋯︙'),
  ...sameFor('。', '｡．'),
  ...sameFor('、', '､﹑'),
  ...sameFor('，', '﹐'),
  ...sameFor('？', '﹖؟'),
  ...sameFor('！', '﹗'),
  ...sameFor('؛', ';'),
  ...sameFor('~', '〜～∼'),
  ...sameFor('\n', '\r\u2028\u2029'),
  ['（', '('],
  ['）', ')'],
  ['［', '['],
  ['］', ']'],
  ['【', '['],
  ['】', ']'],
  ['،', ','],
  ['⁄', '/'],
  ['∕', '/'],
  ...[...'⁴⁵⁶⁷⁸⁹'].map((digit, index): [string, string] => [digit, `^${index + 4}`]),
  ...sameFor('♥', '❤❥💙💚💛💜🧡🖤🤍💗💖💕💓'),
  ['⁰', '^0'],
  ['⁻', '^-'],
  ['⁺', '^+'],
  ['ⁿ', '^n'],
  ['µ', 'μ'],
  ['℃', '°C'],
  ['℉', '°F'],
]);

/** Chinese and Japanese punctuation. Not mapped to ASCII, because it ends a clause without a following space. */
const KEPT_FULL_WIDTH = new Set('，。！？：；、');

/** Compatibility characters that the verbalizer needs: exponents, fractions, ordinal indicators, the degree sign. */
const KEPT_COMPATIBILITY = /[²³¹½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞ºª°№…‥]/u;

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};
const ENTITY = /&(?:(amp|lt|gt|quot|apos|nbsp)|#(\d{1,7})|#x([\da-f]{1,6}));/iy;

const PLAIN_ASCII = /^[ !#-%'-~]*$/;
/** Half-width kana are followed by their voicing marks. */
const MARK = /\p{M}|[ﾞﾟ]/u;
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Emoji_Presentation}\p{Emoji_Modifier}\p{Regional_Indicator}]|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]|\u20e3|\p{Extended_Pictographic}/u;
const LATIN_MARKS = /[\u0300-\u036f]/gu;
const LETTER = /\p{L}/u;

/** Maximum number of combining marks per letter; the rest is decoration. */
const MARKS_PER_LETTER_MAX = 6;

/**
 * Cleans `source` from `start` to `end`, in time and memory proportional to the span. `before` is the preceding clean
 * character, if the span continues another one.
 */
export function cleanText(source: string, start: number, end: number, before?: string): CleanText {
  const span = source.slice(start, end);
  if (PLAIN_ASCII.test(span)) {
    return { text: span, startOf: (index) => start + index, endOf: (index) => start + index };
  }
  const writer = new MappedWriter(start, before);
  let at = 0;
  while (at < span.length) at = cleanCluster(span, at, writer);
  return writer.finish(end);
}

/** Cleans the character at `at` with its combining marks; returns the offset after them. */
function cleanCluster(span: string, at: number, writer: MappedWriter): number {
  const code = span.charCodeAt(at);
  if (code < 0x80 && !(span.charCodeAt(at + 1) >= 0x300 && MARK.test(span[at + 1]!))) {
    return cleanAscii(span, at, writer);
  }
  const character = String.fromCodePoint(span.codePointAt(at)!);
  let end = at + character.length;
  let marks = '';
  while (end < span.length && span.charCodeAt(end) >= 0x300 && MARK.test(span[end]!)) {
    if (marks.length < MARKS_PER_LETTER_MAX) marks += span[end];
    end += 1;
  }
  writer.write(cleanCharacter(character, marks), at, end);
  return end;
}

function cleanAscii(span: string, at: number, writer: MappedWriter): number {
  const character = span[at]!;
  if (character === '&') {
    ENTITY.lastIndex = at;
    const entity = ENTITY.exec(span);
    if (entity) {
      const end = at + entity[0].length;
      writer.write(decodeEntity(entity), at, end);
      return end;
    }
  }
  if (character === '"') writer.write(writer.isBeforeWord() ? '“' : '”', at, at + 1);
  else if (character === '\n') writer.write('\n', at, at + 1);
  else if (character === '\r') writer.write(span[at + 1] === '\n' ? '' : '\n', at, at + 1);
  else if (character === '\t' || (character === '|' && !isTagMark(span, at) && !isLogicalOr(span, at)))
    writer.write(' ', at, at + 1);
  else if (character < ' ' || character === '\u007f') writer.write('', at, at + 1);
  else writer.write(character, at, at + 1);
  return at + 1;
}

/** Whether the bar belongs to the operator `||`. */
function isLogicalOr(span: string, at: number): boolean {
  const before = span[at - 1] === '|';
  const after = span[at + 1] === '|';
  return before !== after && span[at + 2] !== '|' && span[at - 2] !== '|';
}

/** Whether the bar belongs to a tag such as `<|speaker:1|>`. */
function isTagMark(span: string, at: number): boolean {
  return span[at - 1] === '<' || span[at + 1] === '>';
}

function cleanCharacter(character: string, marks: string): string {
  const replacement = REPLACEMENTS.get(character);
  if (replacement !== undefined) return replacement;
  if (character === '♥') return character;
  if (KEPT_FULL_WIDTH.has(character) || KEPT_COMPATIBILITY.test(character)) return character;
  if (INVISIBLE.test(character))
    return /\p{Extended_Pictographic}|\p{Regional_Indicator}/u.test(character) ? ' ' : '';
  const digit = digitOf(character);
  if (digit) return digit;
  const folded = `${character}${marks}`.normalize(isCompatibility(character) ? 'NFKC' : 'NFC');
  // Marks that do not compose are decoration on Latin letters, but significant in other scripts.
  if (LETTER.test(character)) return folded.replace(LATIN_MARKS, '');
  return isSquare(character) ? ` ${folded} ` : folded;
}

/** Enclosed numbers and squared units: one character stands for an entire word. */
function isSquare(character: string): boolean {
  const code = character.codePointAt(0)!;
  return (
    (code >= 0x2100 && code <= 0x218f) ||
    (code >= 0x2460 && code <= 0x24ff) ||
    (code >= 0x3200 && code <= 0x33ff)
  );
}

/** Code points of the digit zero in other scripts. */
const ZEROS = [
  ...[
    0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0,
    0xf20,
  ],
  ...[
    0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620,
    0xa8d0,
  ],
];

function digitOf(character: string): string | undefined {
  const code = character.codePointAt(0)!;
  if (code < 0x660) return undefined;
  const zero = ZEROS.find((start) => code >= start && code < start + 10);
  return zero === undefined ? undefined : String(code - zero);
}

/** Full-width and half-width forms, ligatures, enclosed and mathematical letters. */
function isCompatibility(character: string): boolean {
  const code = character.codePointAt(0)!;
  return (
    (code >= 0xff00 && code <= 0xffef) ||
    (code >= 0xfb00 && code <= 0xfb4f) ||
    (code >= 0x2070 && code <= 0x209f) ||
    (code >= 0x2100 && code <= 0x218f) ||
    (code >= 0x2460 && code <= 0x24ff) ||
    (code >= 0x3200 && code <= 0x33ff) ||
    (code >= 0x1d400 && code <= 0x1d7ff)
  );
}

function decodeEntity(entity: RegExpExecArray): string {
  const [, name, decimal, hexadecimal] = entity;
  if (name) return ENTITIES[name.toLowerCase()] ?? ' ';
  const code = decimal ? Number(decimal) : Number.parseInt(hexadecimal!, 16);
  if (code > 0x10ffff || code < 0x20 || (code >= 0xd800 && code <= 0xdfff)) return ' ';
  return cleanCharacter(String.fromCodePoint(code), '');
}

/** Collects clean characters with their source spans. */
class MappedWriter {
  readonly #base: number;
  readonly #before: string | undefined;
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  #text = '';

  constructor(base: number, before: string | undefined) {
    this.#base = base;
    this.#before = before;
  }

  /** Whether the next character is at the start of a word. */
  isBeforeWord(): boolean {
    const last = this.#text.at(-1) ?? this.#before;
    return last === undefined || /[\s([“—–\-/♥]/u.test(last);
  }

  write(text: string, start: number, end: number): void {
    this.#text += text;
    for (let i = 0; i < text.length; i++) {
      this.#starts.push(this.#base + start);
      this.#ends.push(this.#base + end);
    }
  }

  finish(end: number): CleanText {
    const [starts, ends, base] = [this.#starts, this.#ends, this.#base];
    return {
      text: this.#text,
      startOf: (index) => starts[index] ?? end,
      endOf: (index) => ends[index - 1] ?? base,
    };
  }
}

function sameFor(replacement: string, characters: string): [string, string][] {
  return [...characters].map((character) => [character, replacement]);
}
