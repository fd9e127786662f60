import { ApiError } from '../../errors.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
const SPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);
/** What ends a number, `true`, `false` or `null`. */
const AFTER_PLAIN = new Set([0x2c, 0x5d, 0x7d, ...SPACE]);
/** The longest escape is `\u0041`. */
const ESCAPE_MAX = 6;

/** Goes through JSON as it arrives, and holds no more of it than the value that is asked for. */
export class JsonScanner {
  readonly #chunks: AsyncGenerator<Buffer>;
  #chunk: Buffer = Buffer.alloc(0);
  #at = 0;

  constructor(source: AsyncGenerator<Buffer>) {
    this.#chunks = source;
  }

  /** The next character that is no space, as a code; it stays the next one. Undefined at the end. */
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

  /** Whether the next character is this one, which is then passed. */
  async passes(character: string): Promise<boolean> {
    const isNext = (await this.peek()) === character.charCodeAt(0);
    if (isNext) this.#at++;
    return isNext;
  }

  /** Passes this character, or throws `invalid_body`. */
  async expect(character: string): Promise<void> {
    if (!(await this.passes(character))) throw notJson();
  }

  /** The items between two brackets, one after the other; each must be read before the next. */
  async *items(opening: string, closing: string): AsyncGenerator<void> {
    await this.expect(opening);
    if (await this.passes(closing)) return;
    do yield;
    while (await this.passes(','));
    await this.expect(closing);
  }

  /** The next value as it stands there, whatever it is. Throws what `tooLong` makes when it is longer than that. */
  async value(maxBytes: number, tooLong: () => ApiError): Promise<unknown> {
    const parts: Buffer[] = [];
    let room = maxBytes;
    const first = await this.peek();
    const isPlain = first !== QUOTE && !OPENING.has(first ?? 0);
    let [depth, isString, isEscaped, isOver] = [0, false, false, false];
    while (!isOver) {
      if (this.#at >= this.#chunk.length && !(await this.#load())) {
        if (isPlain) break;
        throw notJson();
      }
      const from = this.#at;
      for (; this.#at < this.#chunk.length && !isOver; this.#at++) {
        const code = this.#chunk[this.#at]!;
        if (isPlain) {
          isOver = AFTER_PLAIN.has(code);
          if (isOver) break;
        } else if (isString) {
          if (isEscaped) isEscaped = false;
          else if (code === BACKSLASH) isEscaped = true;
          else if (code === QUOTE) isString = false;
        } else if (code === QUOTE) isString = true;
        else if (OPENING.has(code)) depth++;
        else if (CLOSING.has(code)) depth--;
        isOver = !isPlain && !isString && depth <= 0;
      }
      parts.push(this.#chunk.subarray(from, this.#at));
      room -= this.#at - from;
      if (room < 0) throw tooLong();
    }
    return parsed(Buffer.concat(parts).toString('utf8'));
  }

  /** The characters of the next value, which is a string, as they come. */
  async *string(): AsyncGenerator<string> {
    await this.expect('"');
    for (;;) {
      if (this.#at >= this.#chunk.length && !(await this.#load())) throw notJson();
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

  /** The numbers of the next value, which is a list of bytes, as they come. */
  async *bytes(): AsyncGenerator<Buffer> {
    await this.expect('[');
    let digits = '';
    for (let isOver = false; !isOver; ) {
      if (this.#at >= this.#chunk.length && !(await this.#load())) throw notJson();
      const close = this.#chunk.indexOf(0x5d, this.#at);
      isOver = close >= 0;
      const end = isOver ? close : this.#chunk.length;
      const text = digits + this.#chunk.toString('latin1', this.#at, end);
      this.#at = isOver ? end + 1 : end;
      if (!/^[\d\s,]*$/.test(text)) throw notJson();
      // A number may go on in the next chunk.
      const cut = isOver ? text.length : text.lastIndexOf(',') + 1;
      digits = text.slice(cut);
      if (digits.length > ESCAPE_MAX * 100) throw notJson();
      const numbers = text
        .slice(0, cut)
        .split(',')
        .filter((number) => number.trim() !== '');
      if (numbers.length > 0) yield Buffer.from(numbers.map(Number));
    }
  }

  /** Lets go of the source. */
  async close(): Promise<void> {
    await this.#chunks.return(undefined);
  }

  async #escape(): Promise<string> {
    const missing = () => ESCAPE_MAX - (this.#chunk.length - this.#at);
    while (missing() > 0) {
      const [rest, next] = [this.#chunk.subarray(this.#at), await this.#chunks.next()];
      if (next.done) break;
      this.#chunk = Buffer.concat([rest, next.value]);
      this.#at = 0;
    }
    const length = this.#chunk[this.#at + 1] === 'u'.charCodeAt(0) ? ESCAPE_MAX : 2;
    const letters = this.#chunk.toString('latin1', this.#at, this.#at + length);
    this.#at += length;
    return String(parsed(`"${letters}"`));
  }

  async #load(): Promise<boolean> {
    const next = await this.#chunks.next();
    this.#chunk = next.done ? Buffer.alloc(0) : next.value;
    this.#at = 0;
    return !next.done;
  }
}

/** The refusal of what is no JSON. */
export function notJson(cause?: unknown): ApiError {
  return new ApiError('invalid_body', 'Failed to parse the request body as JSON.', { cause });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw notJson(cause);
  }
}
