import { Unpackr } from 'msgpackr';
import { createMalformedBodyError, createTooManyValuesError, DEPTH_MAX, VALUES_MAX } from './value-limits.ts';

/** Media types of MessagePack in use. */
export const MSGPACK_TYPES = ['application/msgpack', 'application/x-msgpack', 'application/vnd.msgpack'];

/** Extension types that stand for a plain value: a timestamp, and `undefined` as msgpackr writes it. */
const EXTENSIONS = { timestamp: -1, undefined: 0 };

const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: true, int64AsType: 'number' });

/**
 * Decodes MessagePack of limited depth and number of values. The result contains only the values that JSON has, and
 * bytes, `undefined` and dates. Throws `invalid_body` or `body_too_large`.
 */
export function decodeMsgpack(bytes: Buffer): unknown {
  try {
    checkShape(bytes);
    return unpackr.unpack(bytes);
  } catch (cause) {
    throw isTooLarge(cause) ? cause : createMalformedBodyError('MsgPack', cause);
  }
}

function isTooLarge(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'body_too_large';
}

/** The parts of a value after its type byte. */
interface Layout {
  /** Bytes of the value. */
  readonly bytes: number;
  /** Nested values. */
  readonly values: number;
  /** The width of a field with the number of further bytes or nested values. */
  readonly width: number;
  readonly bytesEach: number;
  readonly valuesEach: number;
  readonly isExtension: boolean;
}

const PLAIN: Layout = { bytes: 0, values: 0, width: 0, bytesEach: 0, valuesEach: 0, isExtension: false };

/** The layout of every type byte. 0xc1 is never used. */
const LAYOUTS: readonly (Layout | undefined)[] = Array.from({ length: 256 }, (_, type) => {
  if (type <= 0x7f || type >= 0xe0) return PLAIN;
  if (type <= 0x8f) return { ...PLAIN, values: 2 * (type & 0x0f) };
  if (type <= 0x9f) return { ...PLAIN, values: type & 0x0f };
  if (type <= 0xbf) return { ...PLAIN, bytes: type & 0x1f };
  if (type === 0xc1) return undefined;
  if (type <= 0xc3) return PLAIN;
  if (type <= 0xc6) return { ...PLAIN, width: 1 << (type - 0xc4), bytesEach: 1 };
  if (type <= 0xc9) return { ...PLAIN, width: 1 << (type - 0xc7), bytesEach: 1, isExtension: true };
  if (type <= 0xd3) return { ...PLAIN, bytes: [4, 8, 1, 2, 4, 8, 1, 2, 4, 8][type - 0xca]! };
  if (type <= 0xd8) return { ...PLAIN, bytes: 1 << (type - 0xd4), isExtension: true };
  if (type <= 0xdb) return { ...PLAIN, width: 1 << (type - 0xd9), bytesEach: 1 };
  if (type <= 0xdd) return { ...PLAIN, width: 2 << (type - 0xdc), valuesEach: 1 };
  return { ...PLAIN, width: 2 << (type - 0xde), valuesEach: 2 };
});

/** Checks depth, number of values and extension types. Throws a `RangeError` when the bytes end early. */
function checkShape(bytes: Buffer): void {
  /** The number of values that are left at each depth. */
  const left = [1];
  let [at, total] = [0, 0];
  while (left.length > 0) {
    if (left.at(-1) === 0) {
      left.pop();
      continue;
    }
    left[left.length - 1]! -= 1;
    if (++total > VALUES_MAX) throw createTooManyValuesError();
    const layout = LAYOUTS[bytes.readUInt8(at++)];
    if (layout === undefined) throw createMalformedBodyError('MsgPack');
    const count = layout.width === 0 ? 0 : bytes.readUIntBE(at, layout.width);
    at += layout.width;
    if (layout.isExtension) {
      checkExtension(bytes.readInt8(at), layout.bytes + count);
      at++;
    }
    at += layout.bytes + count * layout.bytesEach;
    if (at > bytes.length) throw new RangeError('The value ends early.');
    const values = layout.values + count * layout.valuesEach;
    if (values === 0) continue;
    if (values > VALUES_MAX) throw createTooManyValuesError();
    if (left.length > DEPTH_MAX) throw createMalformedBodyError('MsgPack');
    left.push(values);
  }
}

/** Other extensions of msgpackr make BigInts, cyclic objects, sets, errors and regular expressions. */
function checkExtension(type: number, length: number): void {
  const isTimestamp = type === EXTENSIONS.timestamp && [4, 8, 12].includes(length);
  const isUndefined = type === EXTENSIONS.undefined && length === 1;
  if (!isTimestamp && !isUndefined) throw createMalformedBodyError('MsgPack');
}
