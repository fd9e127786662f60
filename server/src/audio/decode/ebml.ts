import type { ByteReader } from './byte-reader.ts';

/** The header of an EBML element (RFC 8794). */
export interface EbmlElement {
  readonly id: number;
  /** Undefined for an element of unknown size. */
  readonly sizeBytes: number | undefined;
}

const ID_BYTES_MAX = 4;
const SIZE_BYTES_MAX = 8;
const HEADER_BYTES_MAX = ID_BYTES_MAX + SIZE_BYTES_MAX;

/** Reads the id and size of the next element. Undefined at the end, or when the bytes are not an element header. */
export async function readElement(reader: ByteReader): Promise<EbmlElement | undefined> {
  const header = reader.peekBuffered(HEADER_BYTES_MAX) ?? (await reader.peek(HEADER_BYTES_MAX));
  const id = parseVint(header, 0);
  if (id === undefined || id.bytes > ID_BYTES_MAX) return undefined;
  const size = parseVint(header, id.bytes);
  if (size === undefined || size.bytes > SIZE_BYTES_MAX) return undefined;
  reader.dropBuffered(id.bytes + size.bytes);
  const isUnknown = size.value === 2 ** (7 * size.bytes) - 1;
  // Ids include their length marker.
  return { id: id.value + 2 ** (7 * id.bytes), sizeBytes: isUnknown ? undefined : size.value };
}

/** Parses the child elements of an element. */
export function* parseChildren(content: Uint8Array): Generator<{ id: number; content: Uint8Array }> {
  for (let offset = 0; offset < content.length; ) {
    const id = parseVint(content, offset);
    const size = id === undefined ? undefined : parseVint(content, offset + id.bytes);
    if (id === undefined || size === undefined) return;
    const start = offset + id.bytes + size.bytes;
    const end = Math.min(content.length, start + size.value);
    yield { id: id.value + 2 ** (7 * id.bytes), content: content.subarray(start, end) };
    offset = end;
  }
}

/** Parses an unsigned integer element. */
export function parseUnsigned(content: Uint8Array): number {
  return content.subarray(0, 6).reduce((value, byte) => value * 256 + byte, 0);
}

/** Parses a variable-size integer, whose first byte has as many leading zeros as bytes follow. Undefined when truncated. */
export function parseVint(bytes: Uint8Array, offset: number): { value: number; bytes: number } | undefined {
  const first = bytes[offset];
  if (first === undefined || first === 0) return undefined;
  const length = Math.clz32(first) - 23;
  if (offset + length > bytes.length) return undefined;
  let value = first & (0xff >> length);
  for (let i = 1; i < length; i++) value = value * 256 + (bytes[offset + i] as number);
  return { value, bytes: length };
}
