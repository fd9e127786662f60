import { ApiError } from '../../errors.ts';

/** A part of a `multipart/form-data` body. */
export interface MultipartPart {
  readonly name: string;
  readonly filename: string | undefined;
  readonly contentType: string;
  /** The content. It must be read before the next part; what is left of it is then skipped. */
  readonly content: AsyncGenerator<Buffer>;
}

const CRLF = Buffer.from('\r\n');
const HEADERS_END = Buffer.from('\r\n\r\n');
const HEADERS_MAX_BYTES = 16 * 1024;
/** Blanks between a delimiter and its line end. RFC 2046 allows them without a limit. */
const PADDING_MAX_BYTES = 1024;
/** RFC 2046 allows 70 characters; more are tolerated. */
export const BOUNDARY_MAX_LENGTH = 200;

/** The boundary of a `multipart/form-data` content type. */
export function boundaryOf(contentType: string): string {
  const [, quoted, plain] = /;\s*boundary\s*=\s*(?:"([^"]*)"|([^\s;]*))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain ?? '';
  if (boundary === '' || boundary.length > BOUNDARY_MAX_LENGTH) {
    throw new ApiError(
      'invalid_body',
      `The boundary of the form must have 1 to ${BOUNDARY_MAX_LENGTH} characters.`,
    );
  }
  return boundary;
}

/**
 * Reads the parts of a `multipart/form-data` body (RFC 7578) one after the other, as a stream. Throws `invalid_body`
 * for a malformed body. See docs/design/uploads.md for why this is not a library.
 */
export class MultipartReader {
  readonly #chunks: AsyncGenerator<Buffer>;
  readonly #delimiter: Buffer;
  /** Starts with a line end, because a delimiter may be the first line of a body. */
  #buffer: Buffer = CRLF;
  #isAtDelimiter = false;

  constructor(source: AsyncGenerator<Buffer>, boundary: string) {
    this.#chunks = source;
    this.#delimiter = Buffer.from(`\r\n--${boundary}`);
  }

  /** All parts. A body without a single byte has none. */
  async *parts(): AsyncGenerator<MultipartPart> {
    try {
      if (!(await this.#load())) return;
      await this.#skipToDelimiter();
      while (!(await this.#isClosingDelimiter())) {
        yield { ...parseHeaders(await this.#readHeaders()), content: this.#readToDelimiter() };
        await this.#skipToDelimiter();
      }
      while (await this.#load()) this.#buffer = Buffer.alloc(0);
    } finally {
      await this.#chunks.return(undefined);
    }
  }

  async *#readToDelimiter(): AsyncGenerator<Buffer> {
    while (!this.#isAtDelimiter) {
      const end = this.#buffer.indexOf(this.#delimiter);
      this.#isAtDelimiter = end >= 0;
      // The end of the buffer may be the beginning of a delimiter.
      const length = end >= 0 ? end : Math.max(0, this.#buffer.length - this.#delimiter.length + 1);
      const content = this.#buffer.subarray(0, length);
      this.#buffer = this.#buffer.subarray(end >= 0 ? end + this.#delimiter.length : length);
      if (content.length > 0) yield content;
      if (!this.#isAtDelimiter) await this.#require();
    }
  }

  async #skipToDelimiter(): Promise<void> {
    for await (const _ of this.#readToDelimiter());
  }

  /** Reads the rest of a delimiter line up to its line end, and returns whether it is the closing delimiter. */
  async #isClosingDelimiter(): Promise<boolean> {
    await this.#requireLength(2);
    if (this.#buffer.toString('latin1', 0, 2) === '--') return true;
    let padding = 0;
    for (; this.#buffer[padding] === 0x20 || this.#buffer[padding] === 0x09; padding++) {
      if (padding > PADDING_MAX_BYTES) throw createMalformedFormError();
      await this.#requireLength(padding + 3);
    }
    this.#buffer = this.#buffer.subarray(padding);
    // A line that only begins like a delimiter: the client has chosen a boundary that occurs in the content.
    if (!this.#buffer.subarray(0, 2).equals(CRLF)) throw createMalformedFormError();
    return false;
  }

  /** The header lines of a part. The buffer begins with the line end of the delimiter. */
  async #readHeaders(): Promise<string> {
    let end = this.#buffer.indexOf(HEADERS_END);
    while (end < 0) {
      if (this.#buffer.length > HEADERS_MAX_BYTES) throw createMalformedFormError();
      await this.#require();
      end = this.#buffer.indexOf(HEADERS_END);
    }
    const headers = this.#buffer.toString('utf8', 0, end);
    // Empty content may be followed by a delimiter that shares the line end.
    this.#buffer = this.#buffer.subarray(end + CRLF.length);
    const isEmpty = await this.#startsWithDelimiter();
    if (!isEmpty) this.#buffer = this.#buffer.subarray(CRLF.length);
    this.#isAtDelimiter = false;
    return headers;
  }

  async #startsWithDelimiter(): Promise<boolean> {
    await this.#requireLength(this.#delimiter.length);
    return this.#buffer.subarray(0, this.#delimiter.length).equals(this.#delimiter);
  }

  async #requireLength(length: number): Promise<void> {
    while (this.#buffer.length < length) await this.#require();
  }

  async #require(): Promise<void> {
    if (!(await this.#load())) throw createMalformedFormError();
  }

  async #load(): Promise<boolean> {
    const next = await this.#chunks.next();
    if (next.done) return false;
    this.#buffer = this.#buffer.length === 0 ? next.value : Buffer.concat([this.#buffer, next.value]);
    return true;
  }
}

function parseHeaders(block: string): Omit<MultipartPart, 'content'> {
  const headers = new Map<string, string>();
  for (const line of block.split(/\r\n(?![ \t])/)) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  const parameters = parseParameters(headers.get('content-disposition') ?? '');
  const name = parameters.get('name');
  if (name === undefined) throw new ApiError('invalid_body', 'A part of the form has no name.');
  return { name, filename: filenameOf(parameters), contentType: headers.get('content-type') ?? 'text/plain' };
}

function parseParameters(header: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, plain = ''] of header.matchAll(
    /;\s*([\w*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))/g,
  )) {
    parameters.set(name.toLowerCase(), quoted?.replaceAll(/\\(["\\])/g, '$1') ?? plain);
  }
  return parameters;
}

/** The file name without a folder; `filename*` of RFC 5987 wins. */
function filenameOf(parameters: ReadonlyMap<string, string>): string | undefined {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(parameters.get('filename*') ?? '')?.[1];
  const filename = decodePercent(encoded) ?? parameters.get('filename');
  return filename?.replace(/^.*[\\/]/s, '');
}

function decodePercent(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function createMalformedFormError(): ApiError {
  return new ApiError('invalid_body', 'The form is not valid, or ended early.');
}
