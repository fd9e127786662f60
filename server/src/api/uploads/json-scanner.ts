import type { ApiError } from '../../errors.ts';
import { parseJson, type ValueBudget } from '../bodies/parse-json.ts';
import { createMalformedBodyError } from '../bodies/value-limits.ts';

/** The characters with which arrays, objects and strings begin. */
export const ARRAY_START = 0x5b;
export const OBJECT_START = 0x7b;
export const STRING_START = 0x22;

const QUOTE = STRING_START;
const BACKSLASH = 0x5c;
const OPENING = new Set([ARRAY_START, OBJECT_START]);
const CLOSING = new Set([0x5d, 0x7d]);
const SPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);
/** The characters that end a number, `true`, `false` or `null`. */
const AFTER_LITERAL = new Set([0x2c, 0x5d, 0x7d, ...SPACE]);
const LETTER_U = 0x75;
/** The longest escape is `\u0041`. */
const ESCAPE_MAX = 6;
/** The characters of escapes with one letter, by the code of the letter. */
const ESCAPED: ReadonlyMap<number | undefined, number> = new Map(
  ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t'].map((pair) => [
    pair.charCodeAt(0),
    pair.charCodeAt(1),
  ]),
);
/** Stands for an escaped character that is not in Latin-1. */
const OTHER_CHARACTER = 0x3f;

/** Scans JSON as a stream. It buffers one chunk and the value that is being read. */
export class JsonScanner {
  readonly #chunks: AsyncGenerator<Buffer>;
  #chunk: Buffer = Buffer.alloc(0);
  #at = 0;

  constructor(source: AsyncGenerator<Buffer>) {
    this.#chunks = source;
  }

  /** The code of the next character that is not white space, without consuming it. Undefined at the end. */
  async peek(): Promise<number | undefined> {
    for (;;) {
      while (this.#at < this.#chunk.length) {
        const code = this.#chunk[this.#at]!;
        if (!SPACE.has(code)) return code;
        this.#at++;
      }
      if (!(await this.#load())) return undefined;
    }
  }

  /** Consumes the next character if it is the given one, and returns whether it is. */
  async accept(character: string): Promise<boolean> {
    const isNext = (await this.peek()) === character.charCodeAt(0);
    if (isNext) this.#at++;
    return isNext;
  }

  /** Consumes the given character, or throws `invalid_body`. */
  async expect(character: string): Promise<void> {
    if (!(await this.accept(character))) throw createMalformedJsonError();
  }

  /** Iterates over the items between two brackets. The caller consumes each item before the next iteration. */
  async *items(opening: string, closing: string): AsyncGenerator<void> {
    await this.expect(opening);
    if (await this.accept(closing)) return;
    do yield;
    while (await this.accept(','));
    await this.expect(closing);
  }

  /**
   * Parses the next value, with its encoded size. Throws `tooLong()` above `maxBytes`. The values of several calls may
   * share a budget.
   */
  async value(
    maxBytes: number,
    tooLong: () => ApiError,
    budget?: ValueBudget,
  ): Promise<{ readonly value: unknown; readonly sizeBytes: number }> {
    const parts: Buffer[] = [];
    let bytesLeft = maxBytes;
    const end = new ValueEnd(await this.peek());
    while (!end.isReached) {
      if (this.#at >= this.#chunk.length && !(await this.#load())) {
        if (end.isLiteral) break;
        throw createMalformedJsonError();
      }
      const from = this.#at;
      this.#at = end.find(this.#chunk, from);
      parts.push(this.#chunk.subarray(from, this.#at));
      bytesLeft -= this.#at - from;
      if (bytesLeft < 0) throw tooLong();
    }
    return { value: parseJson(Buffer.concat(parts), budget), sizeBytes: maxBytes - bytesLeft };
  }

  /** Streams the characters of the next value, which must be a string of ASCII characters: one part per chunk. */
  async *string(): AsyncGenerator<string> {
    await this.expect('"');
    for (;;) {
      const { text, isComplete } = this.#takeCharacters();
      if (text !== '') yield text;
      if (isComplete) return;
      if (!(await this.#load())) throw createMalformedJsonError();
    }
  }

  /** Streams the next value, which must be an array of bytes. */
  async *bytes(): AsyncGenerator<Buffer> {
    await this.expect('[');
    let digits = '';
    for (let isComplete = false; !isComplete; ) {
      if (this.#at >= this.#chunk.length && !(await this.#load())) throw createMalformedJsonError();
      const close = this.#chunk.indexOf(0x5d, this.#at);
      isComplete = close >= 0;
      const end = isComplete ? close : this.#chunk.length;
      const text = digits + this.#chunk.toString('latin1', this.#at, end);
      this.#at = isComplete ? end + 1 : end;
      if (!/^[\d\s,]*$/.test(text)) throw createMalformedJsonError();
      // A number may continue in the next chunk.
      const cut = isComplete ? text.length : text.lastIndexOf(',') + 1;
      digits = text.slice(cut);
      if (digits.length > ESCAPE_MAX * 100) throw createMalformedJsonError();
      const numbers = text
        .slice(0, cut)
        .split(',')
        .filter((number) => number.trim() !== '');
      if (numbers.length > 0) yield Buffer.from(numbers.map(Number));
    }
  }

  /** Ends the iteration of the source. */
  async close(): Promise<void> {
    await this.#chunks.return(undefined);
  }

  /** Consumes the characters of a string in this chunk, up to its end or to an escape that continues in the next chunk. */
  #takeCharacters(): { readonly text: string; readonly isComplete: boolean } {
    const chunk = this.#chunk;
    const characters = Buffer.allocUnsafe(chunk.length - this.#at);
    let from = this.#at;
    let length = 0;
    while (from < chunk.length) {
      const code = chunk[from]!;
      if (code === QUOTE) break;
      if (code === BACKSLASH) {
        const end = from + (chunk[from + 1] === LETTER_U ? ESCAPE_MAX : 2);
        if (end > chunk.length) break;
        characters[length++] = escapedCharacter(chunk, from);
        from = end;
      } else {
        characters[length++] = code;
        from++;
      }
    }
    const text = characters.toString('latin1', 0, length);
    const isComplete = chunk[from] === QUOTE;
    this.#at = isComplete ? from + 1 : from;
    return { text, isComplete };
  }

  /** Reads the next chunk. What is left of this one is kept before it. */
  async #load(): Promise<boolean> {
    const rest = this.#chunk.subarray(this.#at);
    const next = await this.#chunks.next();
    if (next.done) return false;
    this.#chunk = rest.length === 0 ? next.value : Buffer.concat([rest, next.value]);
    this.#at = 0;
    return true;
  }
}

/** Finds the end of a value that may continue in further chunks. */
class ValueEnd {
  /** Whether the value is a number, `true`, `false` or `null`, which ends before the next character. */
  readonly isLiteral: boolean;
  #isReached = false;
  #depth = 0;
  #isString = false;
  #isEscaped = false;

  /** `first` is the code of the first character. */
  constructor(first: number | undefined) {
    this.isLiteral = first !== QUOTE && !OPENING.has(first ?? 0);
  }

  get isReached(): boolean {
    return this.#isReached;
  }

  /** The index after the value, or after the chunk if the value continues. */
  find(chunk: Buffer, from: number): number {
    if (this.isLiteral) {
      let at = from;
      while (at < chunk.length && !AFTER_LITERAL.has(chunk[at]!)) at++;
      this.#isReached = at < chunk.length;
      return at;
    }
    let [at, depth, isString, isEscaped, isReached] = [
      from,
      this.#depth,
      this.#isString,
      this.#isEscaped,
      false,
    ];
    while (at < chunk.length && !isReached) {
      const code = chunk[at++]!;
      if (isString) {
        if (isEscaped) isEscaped = false;
        else if (code === BACKSLASH) isEscaped = true;
        else if (code === QUOTE) isString = false;
      } else if (code === QUOTE) isString = true;
      else if (OPENING.has(code)) depth++;
      else if (CLOSING.has(code)) depth--;
      isReached = !isString && depth <= 0;
    }
    [this.#depth, this.#isString, this.#isEscaped, this.#isReached] = [depth, isString, isEscaped, isReached];
    return at;
  }
}

/** The code of the character whose escape is complete and starts at `at`. Throws `invalid_body` for others. */
function escapedCharacter(chunk: Buffer, at: number): number {
  const letter = chunk[at + 1];
  if (letter !== LETTER_U) {
    const code = ESCAPED.get(letter);
    if (code === undefined) throw createMalformedJsonError();
    return code;
  }
  let code = 0;
  for (let digitAt = at + 2; digitAt < at + ESCAPE_MAX; digitAt++) {
    const digit = hexDigit(chunk[digitAt]!);
    if (digit === undefined) throw createMalformedJsonError();
    code = 16 * code + digit;
  }
  return code > 0xff ? OTHER_CHARACTER : code;
}

function hexDigit(code: number): number | undefined {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = (code | 0x20) - 0x61;
  return letter >= 0 && letter < 6 ? letter + 10 : undefined;
}

/** The error for invalid JSON. */
export function createMalformedJsonError(): ApiError {
  return createMalformedBodyError('JSON');
}
