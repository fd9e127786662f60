/** A value that can be encoded. `undefined` in a map is omitted. */
export type Packable =
  | null
  | undefined
  | boolean
  | number
  | string
  | Uint8Array
  | readonly Packable[]
  | { readonly [key: string]: Packable };

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Encodes a value as MessagePack. */
export function pack(value: Packable): Uint8Array {
  const writer = new Writer();
  writer.value(value);
  return writer.bytes();
}

/** Decodes one MessagePack value. Throws when the bytes are truncated or contain an extension type. */
export function unpack(bytes: Uint8Array): unknown {
  return new Reader(bytes).value();
}

class Writer {
  #buffer = new Uint8Array(256);
  #view = new DataView(this.#buffer.buffer);
  #length = 0;

  bytes(): Uint8Array {
    return this.#buffer.slice(0, this.#length);
  }

  value(value: Packable): void {
    if (value === null || value === undefined) this.#byte(0xc0);
    else if (typeof value === 'boolean') this.#byte(value ? 0xc3 : 0xc2);
    else if (typeof value === 'number') this.#number(value);
    else if (typeof value === 'string') this.#string(value);
    else if (value instanceof Uint8Array) this.#binary(value);
    else if (Array.isArray(value)) this.#array(value);
    else this.#map(value as { readonly [key: string]: Packable });
  }

  #number(value: number): void {
    if (Number.isInteger(value) && value >= 0 && value < 0x80) this.#byte(value);
    else if (Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31) {
      this.#byte(0xd2);
      this.#view.setInt32(this.#take(4), value);
    } else {
      this.#byte(0xcb);
      this.#view.setFloat64(this.#take(8), value);
    }
  }

  #string(value: string): void {
    const bytes = encoder.encode(value);
    if (bytes.length < 32) this.#byte(0xa0 | bytes.length);
    else this.#size(0xdb, bytes.length);
    this.#append(bytes);
  }

  #binary(value: Uint8Array): void {
    this.#size(0xc6, value.length);
    this.#append(value);
  }

  #array(values: readonly Packable[]): void {
    if (values.length < 16) this.#byte(0x90 | values.length);
    else this.#size(0xdd, values.length);
    for (const value of values) this.value(value);
  }

  #map(map: { readonly [key: string]: Packable }): void {
    const entries = Object.entries(map).filter(([, value]) => value !== undefined);
    if (entries.length < 16) this.#byte(0x80 | entries.length);
    else this.#size(0xdf, entries.length);
    for (const [key, value] of entries) {
      this.#string(key);
      this.value(value);
    }
  }

  #size(type: number, size: number): void {
    this.#byte(type);
    this.#view.setUint32(this.#take(4), size);
  }

  #byte(value: number): void {
    const at = this.#take(1);
    this.#buffer[at] = value;
  }

  #append(bytes: Uint8Array): void {
    const at = this.#take(bytes.length);
    this.#buffer.set(bytes, at);
  }

  /** Reserves bytes and returns their offset. */
  #take(count: number): number {
    const at = this.#length;
    this.#length += count;
    if (this.#length > this.#buffer.length) {
      const larger = new Uint8Array(Math.max(this.#length, 2 * this.#buffer.length));
      larger.set(this.#buffer);
      this.#buffer = larger;
      this.#view = new DataView(larger.buffer);
    }
    return at;
  }
}

class Reader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  value(): unknown {
    const type = this.#view.getUint8(this.#take(1));
    if (type < 0x80) return type;
    if (type >= 0xe0) return type - 0x100;
    if (type < 0x90) return this.#map(type & 0x0f);
    if (type < 0xa0) return this.#array(type & 0x0f);
    if (type < 0xc0) return this.#string(type & 0x1f);
    const view = this.#view;
    switch (type) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xc4:
      case 0xc5:
      case 0xc6:
        return this.#slice(this.#size(type - 0xc4)).slice();
      case 0xca:
        return view.getFloat32(this.#take(4));
      case 0xcb:
        return view.getFloat64(this.#take(8));
      case 0xcc:
      case 0xcd:
      case 0xce:
        return this.#size(type - 0xcc);
      case 0xcf:
        return Number(view.getBigUint64(this.#take(8)));
      case 0xd0:
        return view.getInt8(this.#take(1));
      case 0xd1:
        return view.getInt16(this.#take(2));
      case 0xd2:
        return view.getInt32(this.#take(4));
      case 0xd3:
        return Number(view.getBigInt64(this.#take(8)));
      case 0xd9:
      case 0xda:
      case 0xdb:
        return this.#string(this.#size(type - 0xd9));
      case 0xdc:
      case 0xdd:
        return this.#array(this.#size(type - 0xdc + 1));
      case 0xde:
      case 0xdf:
        return this.#map(this.#size(type - 0xde + 1));
      default:
        throw new RangeError(`MessagePack type 0x${type.toString(16)} is not supported.`);
    }
  }

  /** An unsigned number of 1, 2 or 4 bytes. */
  #size(power: number): number {
    if (power === 0) return this.#view.getUint8(this.#take(1));
    if (power === 1) return this.#view.getUint16(this.#take(2));
    return this.#view.getUint32(this.#take(4));
  }

  #string(size: number): string {
    return decoder.decode(this.#slice(size));
  }

  #array(size: number): unknown[] {
    const values: unknown[] = [];
    for (let i = 0; i < size; i++) values.push(this.value());
    return values;
  }

  #map(size: number): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    for (let i = 0; i < size; i++) entries.push([String(this.value()), this.value()]);
    return Object.fromEntries(entries);
  }

  #slice(size: number): Uint8Array {
    const from = this.#take(size);
    return this.#bytes.subarray(from, from + size);
  }

  #take(count: number): number {
    const at = this.#at;
    this.#at += count;
    if (this.#at > this.#bytes.length) throw new RangeError('The MessagePack data is truncated.');
    return at;
  }
}
