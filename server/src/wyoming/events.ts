import { ApiError } from '../errors.ts';

/** An event of the Wyoming protocol: a JSON header on one line, then optional JSON data and binary payload. */
export interface WyomingEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly payload: Buffer;
}

/** Limits of one event. Home Assistant sends texts in chunks, and audio in payloads of a few KiB. */
export const EVENT_LIMITS = {
  headerMaxBytes: 64 * 1024,
  dataMaxBytes: 1024 * 1024,
  payloadMaxBytes: 1024 * 1024,
} as const;

const NEWLINE = 0x0a;
const EMPTY = Buffer.alloc(0);

/** Splits a byte stream into events. Throws `invalid_body` or `body_too_large`; the stream is unusable after that. */
export class EventDecoder {
  #bytes: Buffer = EMPTY;
  /** Chunks after `#bytes`, not joined before the current event is complete: small chunks cost no copies. */
  #chunks: Buffer[] = [];
  #chunkBytes = 0;
  /** Size of the current event; 0 while its header is incomplete. */
  #eventBytes = 0;

  /** Adds received bytes and returns the events that they complete. */
  push(chunk: Buffer): WyomingEvent[] {
    this.#chunks.push(chunk);
    this.#chunkBytes += chunk.length;
    if (this.#bytes.length + this.#chunkBytes < this.#eventBytes) return [];
    this.#bytes = Buffer.concat([this.#bytes, ...this.#chunks]);
    this.#chunks = [];
    this.#chunkBytes = 0;
    const events: WyomingEvent[] = [];
    for (let event = this.#take(); event !== undefined; event = this.#take()) events.push(event);
    return events;
  }

  #take(): WyomingEvent | undefined {
    const headerEnd = this.#bytes.indexOf(NEWLINE);
    if (headerEnd < 0) {
      if (this.#bytes.length > EVENT_LIMITS.headerMaxBytes) throw createTooLargeError('header');
      return undefined;
    }
    if (headerEnd > EVENT_LIMITS.headerMaxBytes) throw createTooLargeError('header');
    const header = parseObject(this.#bytes.subarray(0, headerEnd));
    const dataBytes = lengthOf(header.data_length, EVENT_LIMITS.dataMaxBytes, 'data');
    const payloadBytes = lengthOf(header.payload_length, EVENT_LIMITS.payloadMaxBytes, 'payload');
    const dataStart = headerEnd + 1;
    const end = dataStart + dataBytes + payloadBytes;
    this.#eventBytes = end;
    if (this.#bytes.length < end) return undefined;
    this.#eventBytes = 0;
    const inline = isObject(header.data) ? header.data : {};
    const data =
      dataBytes > 0
        ? { ...inline, ...parseObject(this.#bytes.subarray(dataStart, dataStart + dataBytes)) }
        : inline;
    const payload = Buffer.from(this.#bytes.subarray(dataStart + dataBytes, end));
    this.#bytes = this.#bytes.subarray(end);
    if (typeof header.type !== 'string') throw createInvalidEventError('An event needs a `type`.');
    return { type: header.type, data, payload };
  }
}

/** Encodes an event. */
export function encodeEvent(type: string, data: object = {}, payload: Uint8Array = EMPTY): Buffer {
  const dataBytes = Buffer.from(JSON.stringify(data));
  const header = { type, data_length: dataBytes.length, payload_length: payload.length };
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), dataBytes, payload]);
}

function parseObject(bytes: Buffer): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    // The parser's message would quote the client's message.
    throw new ApiError('invalid_body', 'An event is not valid JSON.', { cause });
  }
  if (!isObject(value)) throw createInvalidEventError('An event is a JSON object.');
  return value;
}

function lengthOf(value: unknown, max: number, part: string): number {
  if (value === undefined || value === null) return 0;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) {
    throw createInvalidEventError(`The length of the ${part} is not a whole number.`);
  }
  if (value > max) throw createTooLargeError(part);
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function createInvalidEventError(message: string): ApiError {
  return new ApiError('invalid_body', message);
}

function createTooLargeError(part: string): ApiError {
  return new ApiError('body_too_large', `The ${part} of an event is too large.`);
}
