import { Unpackr } from 'msgpackr';
import { ApiError } from '../../errors.ts';
import type { ByteReader } from './byte-reader.ts';

/** What follows the first byte of a MessagePack value. */
interface Layout {
  /** Bytes of the value itself. */
  readonly bytes?: number;
  /** Values inside of it. */
  readonly values?: number;
  /** Bytes that hold a length, and how much each counted thing is. */
  readonly length?: { readonly width: number; readonly bytesEach?: number; readonly valuesEach?: number };
}

/** The layouts of all first bytes from 0xc0 to 0xdf, in order. 0xc1 is never used. */
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

const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: true, int64AsType: 'number' });

/** A value from its bytes. */
export function unpackValue(bytes: Buffer): unknown {
  try {
    return unpackr.unpack(bytes);
  } catch {
    throw malformed('a value cannot be read');
  }
}

/** How many pairs the map has whose first byte was read; undefined when it is something else. */
export function readMapSize(reader: ByteReader, type: number): Promise<number | undefined> {
  return readSize(reader, type, { short: 0x80, shortMax: 0x0f, long: 0xde, widths: [2, 4] });
}

/** How many values the list has whose first byte was read; undefined when it is something else. */
export function readListSize(reader: ByteReader, type: number): Promise<number | undefined> {
  return readSize(reader, type, { short: 0x90, shortMax: 0x0f, long: 0xdc, widths: [2, 4] });
}

/** How many bytes the text has whose first byte was read; undefined when it is something else. */
export function readTextSize(reader: ByteReader, type: number): Promise<number | undefined> {
  return readSize(reader, type, { short: 0xa0, shortMax: 0x1f, long: 0xd9, widths: [1, 2, 4] });
}

/** The length of binary data whose first byte was read; undefined when it is something else. */
export function readBinarySize(reader: ByteReader, type: number): Promise<number | undefined> {
  return readSize(reader, type, { long: 0xc4, widths: [1, 2, 4] });
}

interface SizeLayout {
  /** The first of the bytes that hold a length themselves, and the longest such length. */
  readonly short?: number;
  readonly shortMax?: number;
  /** The first of the bytes that are followed by a length, and how many bytes that has for each. */
  readonly long: number;
  readonly widths: readonly number[];
}

async function readSize(reader: ByteReader, type: number, layout: SizeLayout): Promise<number | undefined> {
  const { short = Number.POSITIVE_INFINITY, shortMax = 0, long, widths } = layout;
  if (type >= short && type <= short + shortMax) return type - short;
  const width = widths[type - long];
  return width === undefined ? undefined : (await reader.take(width)).readUIntBE(0, width);
}

/** The refusal of what is no MessagePack. */
export function malformed(what: string): ApiError {
  return new ApiError('invalid_body', `Failed to parse the request body as MsgPack: ${what}.`);
}

/** The bytes of one whole value, however nested. `first` is its first byte, where that was read already. */
export async function readWholeValue(
  reader: ByteReader,
  maxBytes: number,
  first?: number,
  tooLong = () => new ApiError('request_too_large', 'The fields of the body are too large.'),
): Promise<Buffer> {
  const parts: Buffer[] = first === undefined ? [] : [Buffer.of(first)];
  let room = maxBytes;
  const take = async (count: number): Promise<Buffer> => {
    room -= count;
    if (room < 0) throw tooLong();
    const bytes = await reader.take(count);
    parts.push(bytes);
    return bytes;
  };
  for (let missing = 1, type = first; missing > 0; type = undefined) {
    const { bytes = 0, values = 0, length } = layoutOf(type ?? (await take(1))[0]!);
    const counted = length === undefined ? 0 : (await take(length.width)).readUIntBE(0, length.width);
    await take(bytes + counted * (length?.bytesEach ?? 0));
    missing += values + counted * (length?.valuesEach ?? 0) - 1;
  }
  return Buffer.concat(parts);
}

function layoutOf(type: number): Layout {
  if (type <= 0x7f || type >= 0xe0) return {};
  if (type <= 0x8f) return { values: 2 * (type & 0x0f) };
  if (type <= 0x9f) return { values: type & 0x0f };
  if (type <= 0xbf) return { bytes: type & 0x1f };
  const layout = LAYOUTS[type - 0xc0];
  if (layout === undefined)
    throw new ApiError('invalid_body', 'Failed to parse the request body as MsgPack.');
  return layout;
}
