import type { ApiError } from '../../errors.ts';
import { parseJson, type ValueBudget } from '../bodies/parse-json.ts';
import { malformedBody } from '../bodies/value-limits.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
const SPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);
/** The characters that end a number, `true`, `false` or `null`. */
const AFTER_LITERAL = new Set([0x2c, 0x5d, 0x7d, ...SPACE]);
/** The longest escape is `\u0041`. */
const ESCAPE_MAX = 6;

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
    if (!(await this.accept(character))) throw malformedJson();
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
    const first = await this.peek();
    const isLiteral = first !== QUOTE && !OPENING.has(first ?? 0);
    let [depth, isString, isEscaped, isComplete] = [0, false, false, false];
    while (!isComplete) {
      if (this.#at >= this.#chunk.length && !(await this.#load())) {
        if (isLiteral) break;
        throw malformedJson();
      }
      const from = this.#at;
      for (; this.#at < this.#chunk.length && !isComplete; this.#at++) {
        const code = this.#chunk[this.#at]!;
        if (isLiteral) {
          isComplete = AFTER_LITERAL.has(code);
          if (isComplete) break;
        } else if (isString) {
          if (isEscaped) isEscaped = false;
          else if (code === BACKSLASH) isEscaped = true;
          else if (code === QUOTE) isString = false;
        } else if (code === QUOTE) isString = true;
        else if (OPENING.has(code)) depth++;
        else if (CLOSING.has(code)) depth--;
        isComplete = !isLiteral && !isString && depth <= 0;
      }
      parts.push(this.#chunk.subarray(from, this.#at));
      bytesLeft -= this.#at - from;
      if (bytesLeft < 0) throw tooLong();
    }
    return { value: parseJson(Buffer.concat(parts), budget), sizeBytes: maxBytes - bytesLeft };
  }

  /** Streams the characters of the next value, which must be a string of ASCII characters. */
  async *string(): AsyncGenerator<string> {
    await this.expect('"');
    for (;;) {
      if (this.#at >= this.#chunk.length && !(await this.#load())) throw malformedJson();
      const ends = [QUOTE, BACKSLASH]
        .map((code) => this.#chunk.indexOf(code, this.#at))
        .filter((at) => at >= 0);
      const end = Math.min(...ends, this.#chunk.length);
      if (end > this.#at) yield this.#chunk.toString('latin1', this.#at, end);
      this.#at = end;
      if (this.#chunk[end] === BACKSLASH) yield await this.#escape();
      else if (this.#chunk[end] === QUOTE) {
        this.#at++;
        return;
      }
    }
  }

  /** Streams the next value, which must be an array of bytes. */
  async *bytes(): AsyncGenerator<Buffer> {
    await this.expect('[');
    let digits = '';
    for (let isComplete = false; !isComplete; ) {
      if (this.#at >= this.#chunk.length && !(await this.#load())) throw malformedJson();
      const close = this.#chunk.indexOf(0x5d, this.#at);
      isComplete = close >= 0;
      const end = isComplete ? close : this.#chunk.length;
      const text = digits + this.#chunk.toString('latin1', this.#at, end);
      this.#at = isComplete ? end + 1 : end;
      if (!/^[\d\s,]*$/.test(text)) throw malformedJson();
      // A number may continue in the next chunk.
      const cut = isComplete ? text.length : text.lastIndexOf(',') + 1;
      digits = text.slice(cut);
      if (digits.length > ESCAPE_MAX * 100) throw malformedJson();
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

  async #escape(): Promise<string> {
    const missingBytes = () => ESCAPE_MAX - (this.#chunk.length - this.#at);
    while (missingBytes() > 0) {
      const [rest, next] = [this.#chunk.subarray(this.#at), await this.#chunks.next()];
      if (next.done) break;
      this.#chunk = Buffer.concat([rest, next.value]);
      this.#at = 0;
    }
    const length = this.#chunk[this.#at + 1] === 'u'.charCodeAt(0) ? ESCAPE_MAX : 2;
    const letters = this.#chunk.toString('latin1', this.#at, this.#at + length);
    this.#at += length;
    return String(parseJson(Buffer.from(`"${letters}"`)));
  }

  async #load(): Promise<boolean> {
    const next = await this.#chunks.next();
    this.#chunk = next.done ? Buffer.alloc(0) : next.value;
    this.#at = 0;
    return !next.done;
  }
}

/** The error for invalid JSON. */
export function malformedJson(): ApiError {
  return malformedBody('JSON');
}
