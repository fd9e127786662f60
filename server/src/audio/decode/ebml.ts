import type { ByteReader } from './byte-reader.ts';

/** An element of an EBML file (RFC 8794); its content follows in the stream. */
export interface EbmlElement {
  readonly id: number;
  /** Undefined when the writer did not know it yet. */
  readonly sizeBytes: number | undefined;
}

/** Reads the next element's id and size. Undefined at the end, or where no element can begin. */
export async function readElement(reader: ByteReader): Promise<EbmlElement | undefined> {
  const id = await readVariable(reader, 4);
  const size = id === undefined ? undefined : await readVariable(reader, 8);
  if (id === undefined || size === undefined) return undefined;
  const isUnknown = size.value === 2 ** (7 * size.bytes) - 1;
  // Ids are written with their length marker.
  return { id: id.value + 2 ** (7 * id.bytes), sizeBytes: isUnknown ? undefined : size.value };
}

/** The elements inside the content of another. */
export function* childElements(content: Uint8Array): Generator<{ id: number; content: Uint8Array }> {
  for (let offset = 0; offset < content.length; ) {
    const id = variableAt(content, offset);
    const size = id === undefined ? undefined : variableAt(content, offset + id.bytes);
    if (id === undefined || size === undefined) return;
    const start = offset + id.bytes + size.bytes;
    const end = Math.min(content.length, start + size.value);
    yield { id: id.value + 2 ** (7 * id.bytes), content: content.subarray(start, end) };
    offset = end;
  }
}

/** A number without sign, as EBML stores it. */
export function unsignedValue(content: Uint8Array): number {
  return content.subarray(0, 6).reduce((value, byte) => value * 256 + byte, 0);
}

/** A number with the count of leading zeros of its first byte for its length; undefined when it is cut short. */
export function variableAt(bytes: Uint8Array, offset: number): { value: number; bytes: number } | undefined {
  const first = bytes[offset];
  if (first === undefined || first === 0) return undefined;
  const length = Math.clz32(first) - 23;
  if (offset + length > bytes.length) return undefined;
  let value = first & (0xff >> length);
  for (let i = 1; i < length; i++) value = value * 256 + (bytes[offset + i] as number);
  return { value, bytes: length };
}

async function readVariable(reader: ByteReader, maxBytes: number) {
  const number = variableAt(await reader.peek(maxBytes), 0);
  if (number === undefined || number.bytes > maxBytes) return undefined;
  await reader.skip(number.bytes);
  return number;
}
