/** An invalid ONNX file, or one with unsupported features. */
export class OnnxError extends Error {
  override readonly name = 'OnnxError';
}

/** One field of a protobuf message, as views into the bytes it was read from. */
export interface WireField {
  readonly number: number;
  readonly wireType: WireType;
  /** The value without tag and length. */
  readonly payload: Uint8Array;
  /** The encoded field including its tag. */
  readonly raw: Uint8Array;
}

export type WireType = typeof VARINT | typeof FIXED64 | typeof BYTES | typeof FIXED32;

export const VARINT = 0;
export const FIXED64 = 1;
export const BYTES = 2;
export const FIXED32 = 5;

const MAX_VARINT_BYTES = 10;

/** Iterates over the fields of a message without copying. Throws `OnnxError` for malformed bytes. */
export function* readFields(message: Uint8Array): Generator<WireField> {
  let offset = 0;
  while (offset < message.length) {
    const start = offset;
    const tag = readSize(message, offset);
    offset = tag.next;
    const number = Math.floor(tag.value / 8);
    const wireType = tag.value % 8;
    if (number === 0) throw new OnnxError(`Field number 0 at byte ${start}: not protobuf.`);

    let payloadStart = offset;
    let end: number;
    if (wireType === VARINT) {
      end = skipVarint(message, offset);
    } else if (wireType === BYTES) {
      const size = readSize(message, offset);
      payloadStart = size.next;
      end = payloadStart + size.value;
    } else if (wireType === FIXED64) {
      end = offset + 8;
    } else if (wireType === FIXED32) {
      end = offset + 4;
    } else {
      throw new OnnxError(`Wire type ${wireType} at byte ${start}: not protobuf.`);
    }
    if (end > message.length) {
      throw new OnnxError(
        `Field ${number} should end at byte ${end}, but there are only ${message.length} bytes: ` +
          'the file is cut off or damaged.',
      );
    }
    yield {
      number,
      wireType,
      payload: message.subarray(payloadStart, end),
      raw: message.subarray(start, end),
    };
    offset = end;
  }
}

/** The value of a varint field as a signed 64-bit integer. */
export function integerOf(field: WireField): bigint {
  if (field.wireType !== VARINT) throw createWrongTypeError(field, 'an integer');
  return readInteger(field.payload, 0).value;
}

/** The value of a varint field as a number; throws if it is not a safe integer. */
export function smallIntegerOf(field: WireField): number {
  return toSafeNumber(integerOf(field));
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The text in a string field. */
export function textOf(field: WireField): string {
  try {
    return utf8.decode(bytesOf(field));
  } catch (cause) {
    if (cause instanceof OnnxError) throw cause;
    throw new OnnxError(`Field ${field.number} is not valid text.`, { cause });
  }
}

/** The content of a length-delimited field: bytes, text or a message. */
export function bytesOf(field: WireField): Uint8Array {
  if (field.wireType !== BYTES) throw createWrongTypeError(field, 'bytes');
  return field.payload;
}

/** The integers of a repeated field, packed or not. */
export function integersOf(field: WireField): bigint[] {
  if (field.wireType === VARINT) return [integerOf(field)];
  const packed = bytesOf(field);
  const values: bigint[] = [];
  for (let offset = 0; offset < packed.length; ) {
    const { value, next } = readInteger(packed, offset);
    values.push(value);
    offset = next;
  }
  return values;
}

/** A 64-bit integer as a number; throws if it is not a safe integer. */
export function toSafeNumber(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new OnnxError(`The integer ${value} is too large.`);
  return number;
}

/** Builds one message. Byte arrays are stored as views and copied once, by `toBytes`. */
export class MessageWriter {
  readonly #chunks: Uint8Array[] = [];
  #sizeBytes = 0;

  integer(field: number, value: number | bigint): this {
    this.#push(encodeVarint((BigInt(field) << 3n) | BigInt(VARINT)));
    this.#push(encodeVarint(BigInt.asUintN(64, BigInt(value))));
    return this;
  }

  float(field: number, value: number): this {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setFloat32(0, value, true);
    this.#push(encodeVarint((BigInt(field) << 3n) | BigInt(FIXED32)));
    this.#push(bytes);
    return this;
  }

  text(field: number, value: string): this {
    return this.bytes(field, new TextEncoder().encode(value));
  }

  bytes(field: number, value: Uint8Array): this {
    this.#header(field, value.length);
    this.#push(value);
    return this;
  }

  message(field: number, value: MessageWriter): this {
    this.#header(field, value.#sizeBytes);
    for (const chunk of value.#chunks) this.#push(chunk);
    return this;
  }

  /** Adds an encoded field including its tag. */
  raw(field: Uint8Array): this {
    this.#push(field);
    return this;
  }

  toBytes(): Uint8Array {
    const bytes = new Uint8Array(this.#sizeBytes);
    let offset = 0;
    for (const chunk of this.#chunks) {
      bytes.set(chunk, offset);
      offset += chunk.length;
    }
    return bytes;
  }

  #header(field: number, sizeBytes: number): void {
    this.#push(encodeVarint((BigInt(field) << 3n) | BigInt(BYTES)));
    this.#push(encodeVarint(BigInt(sizeBytes)));
  }

  #push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#sizeBytes += chunk.length;
  }
}

/** Encodes an integer as a protobuf varint. */
export function encodeVarint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}

function readInteger(bytes: Uint8Array, start: number): { value: bigint; next: number } {
  const next = skipVarint(bytes, start);
  let value = 0n;
  for (let offset = next - 1; offset >= start; offset--) {
    value = (value << 7n) | BigInt(bytes[offset]! & 0x7f);
  }
  return { value: BigInt.asIntN(64, value), next };
}

/** For tags and lengths, which fit in a number; on the hot path of opening a large file. */
function readSize(bytes: Uint8Array, start: number): { value: number; next: number } {
  const next = skipVarint(bytes, start);
  let value = 0;
  for (let offset = next - 1; offset >= start; offset--) value = value * 128 + (bytes[offset]! & 0x7f);
  return { value, next };
}

function skipVarint(bytes: Uint8Array, start: number): number {
  const limit = Math.min(bytes.length, start + MAX_VARINT_BYTES);
  for (let offset = start; offset < limit; offset++) {
    if (bytes[offset]! < 0x80) return offset + 1;
  }
  throw new OnnxError(
    limit === bytes.length
      ? `The data ends inside an integer at byte ${start}: the file is cut off or damaged.`
      : `An integer at byte ${start} is longer than ${MAX_VARINT_BYTES} bytes: not protobuf.`,
  );
}

function createWrongTypeError(field: WireField, expected: string): OnnxError {
  return new OnnxError(
    `Field ${field.number} has wire type ${field.wireType} where ${expected} is expected.`,
  );
}
