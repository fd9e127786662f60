import type { ApiError } from '../../errors.ts';
import { createMalformedBodyError } from '../bodies/value-limits.ts';
import type { ByteReader } from './byte-reader.ts';

/** The bytes after the type byte of a MessagePack value. */
interface Layout {
  /** Bytes of the value itself. */
  readonly bytes?: number;
  /** Nested values. */
  readonly values?: number;
  /** The width of a length field in bytes, and the bytes or nested values per counted unit. */
  readonly length?: { readonly width: number; readonly bytesEach?: number; readonly valuesEach?: number };
}

/** The layouts of the type bytes 0xc0 to 0xdf. 0xc1 is never used. */
const LAYOUTS: readonly (Layout | undefined)[] = [
  {},
  undefined,
  {},
  {},
  ...[1, 2, 4].map((width) => ({ length: { width, bytesEach: 1 } })),
  ...[1, 2, 4].map((width) => ({ length: { width, bytesEach: 1 }, bytes: 1 })),
  ...[4, 8, 1, 2, 4, 8, 1, 2, 4, 8].map((bytes) => ({ bytes })),
  ...[1, 2, 4, 8, 16].map((bytes) => ({ bytes: bytes + 1 })),
  ...[1, 2, 4].map((width) => ({ length: { width, bytesEach: 1 } })),
  ...[2, 4].map((width) => ({ length: { width, valuesEach: 1 } })),
  ...[2, 4].map((width) => ({ length: { width, valuesEach: 2 } })),
];

/** The number of pairs of a map with this type byte; undefined for other types. */
export function readMapLength(reader: ByteReader, type: number): Promise<number | undefined> {
  return readLength(reader, type, { short: 0x80, shortMax: 0x0f, long: 0xde, widths: [2, 4] });
}

/** The number of values of an array with this type byte; undefined for other types. */
export function readArrayLength(reader: ByteReader, type: number): Promise<number | undefined> {
  return readLength(reader, type, { short: 0x90, shortMax: 0x0f, long: 0xdc, widths: [2, 4] });
}

/** The number of bytes of a string with this type byte; undefined for other types. */
export function readStringLength(reader: ByteReader, type: number): Promise<number | undefined> {
  return readLength(reader, type, { short: 0xa0, shortMax: 0x1f, long: 0xd9, widths: [1, 2, 4] });
}

/** The number of bytes of binary data with this type byte; undefined for other types. */
export function readBinaryLength(reader: ByteReader, type: number): Promise<number | undefined> {
  return readLength(reader, type, { long: 0xc4, widths: [1, 2, 4] });
}

interface LengthLayout {
  /** The first type byte that contains the length itself, and the maximum of that length. */
  readonly short?: number;
  readonly shortMax?: number;
  /** The first type byte that is followed by a length, and the width of the length for each type byte. */
  readonly long: number;
  readonly widths: readonly number[];
}

async function readLength(
  reader: ByteReader,
  type: number,
  layout: LengthLayout,
): Promise<number | undefined> {
  const { short = Number.POSITIVE_INFINITY, shortMax = 0, long, widths } = layout;
  if (type >= short && type <= short + shortMax) return type - short;
  const width = widths[type - long];
  return width === undefined ? undefined : (await reader.take(width)).readUIntBE(0, width);
}

/**
 * Reads the bytes of one value with all nested values. `type` is its type byte, if that was read before. It waits for
 * chunks only, not for each nested value: tens of thousands of waits would block the event loop.
 */
export async function readValueBytes(
  reader: ByteReader,
  options: {
    readonly maxBytes: number;
    readonly type: number | undefined;
    readonly tooLong: () => ApiError;
  },
): Promise<Buffer> {
  const { maxBytes, tooLong } = options;
  let size = 0;
  /** Undefined: the bytes are buffered. */
  const advance = (count: number): Promise<void> | undefined => {
    size += count;
    if (size > maxBytes) throw tooLong();
    return size > reader.buffered.length ? reader.load(size) : undefined;
  };
  for (let valuesLeft = 1, known = options.type; valuesLeft > 0; known = undefined) {
    if (known === undefined) {
      const loading = advance(1);
      if (loading !== undefined) await loading;
    }
    const { bytes = 0, values = 0, length } = layoutOf(known ?? reader.buffered[size - 1]!);
    let count = 0;
    if (length !== undefined) {
      const loading = advance(length.width);
      if (loading !== undefined) await loading;
      count = reader.buffered.readUIntBE(size - length.width, length.width);
    }
    const loading = advance(bytes + count * (length?.bytesEach ?? 0));
    if (loading !== undefined) await loading;
    valuesLeft += values + count * (length?.valuesEach ?? 0) - 1;
  }
  const value = await reader.take(size);
  return options.type === undefined ? value : Buffer.concat([Buffer.of(options.type), value]);
}

function layoutOf(type: number): Layout {
  if (type <= 0x7f || type >= 0xe0) return {};
  if (type <= 0x8f) return { values: 2 * (type & 0x0f) };
  if (type <= 0x9f) return { values: type & 0x0f };
  if (type <= 0xbf) return { bytes: type & 0x1f };
  const layout = LAYOUTS[type - 0xc0];
  if (layout === undefined) throw createMalformedBodyError('MsgPack');
  return layout;
}
