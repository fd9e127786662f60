import { Packr } from 'msgpackr';

/** Typed arrays keep their type and their exact values. */
const packr = new Packr({ useRecords: false, moreTypes: true });

export function encodeValue(value: unknown): Uint8Array {
  return packr.pack(value);
}

/** The value that `encodeValue` of another process of this cluster has written. */
export function decodeValue(bytes: Uint8Array): unknown {
  return packr.unpack(bytes);
}
