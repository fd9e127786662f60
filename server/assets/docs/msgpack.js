// MessagePack, as far as the frames of live speech and live transcription need it: maps, lists, texts, numbers, bytes.

export function encode(value) {
  const parts = [];
  write(value, parts);
  const bytes = new Uint8Array(parts.reduce((total, part) => total + part.length, 0));
  parts.reduce((at, part) => {
    bytes.set(part, at);
    return at + part.length;
  }, 0);
  return bytes;
}

function write(value, parts) {
  if (value === null || value === undefined) parts.push([0xc0]);
  else if (typeof value === 'boolean') parts.push([value ? 0xc3 : 0xc2]);
  else if (typeof value === 'number')
    parts.push(
      [0xcb],
      bytesOf(8, (view) => view.setFloat64(0, value)),
    );
  else if (typeof value === 'string') writeBytes(new TextEncoder().encode(value), 0xdb, parts);
  else if (value instanceof Uint8Array) writeBytes(value, 0xc6, parts);
  else if (Array.isArray(value)) {
    parts.push([0xdd], length(value.length));
    for (const item of value) write(item, parts);
  } else {
    const entries = Object.entries(value);
    parts.push([0xdf], length(entries.length));
    for (const entry of entries.flat()) write(entry, parts);
  }
}

function writeBytes(bytes, mark, parts) {
  parts.push([mark], length(bytes.length), bytes);
}

const length = (count) => bytesOf(4, (view) => view.setUint32(0, count));

function bytesOf(size, fill) {
  const view = new DataView(new ArrayBuffer(size));
  fill(view);
  return new Uint8Array(view.buffer);
}

export function decode(buffer) {
  return new Reader(new DataView(buffer)).value();
}

class Reader {
  #view;
  #at = 0;

  constructor(view) {
    this.#view = view;
  }

  value() {
    const mark = this.unsigned(1);
    if (mark < 0x80) return mark;
    if (mark < 0x90) return this.map(mark & 0x0f);
    if (mark < 0xa0) return this.list(mark & 0x0f);
    if (mark < 0xc0) return this.text(mark & 0x1f);
    if (mark >= 0xe0) return mark - 0x100;
    const read = READERS[mark];
    if (read === undefined) throw new Error(`MessagePack type ${mark} is not supported here.`);
    return read(this);
  }

  unsigned(size) {
    return this.#number(size === 8 ? 'getBigUint64' : `getUint${size * 8}`, size);
  }
  signed(size) {
    return this.#number(size === 8 ? 'getBigInt64' : `getInt${size * 8}`, size);
  }
  float(size) {
    return this.#number(`getFloat${size * 8}`, size);
  }
  bytes(count) {
    const bytes = new Uint8Array(this.#view.buffer, this.#view.byteOffset + this.#at, count);
    this.#at += count;
    return bytes;
  }
  text(count) {
    return new TextDecoder().decode(this.bytes(count));
  }
  list(count) {
    return Array.from({ length: count }, () => this.value());
  }
  map(count) {
    return Object.fromEntries(Array.from({ length: count }, () => [this.value(), this.value()]));
  }

  #number(method, size) {
    const value = Number(this.#view[method](this.#at));
    this.#at += size;
    return value;
  }
}

const READERS = {
  192: () => null,
  194: () => false,
  195: () => true,
  196: (reader) => reader.bytes(reader.unsigned(1)),
  197: (reader) => reader.bytes(reader.unsigned(2)),
  198: (reader) => reader.bytes(reader.unsigned(4)),
  202: (reader) => reader.float(4),
  203: (reader) => reader.float(8),
  204: (reader) => reader.unsigned(1),
  205: (reader) => reader.unsigned(2),
  206: (reader) => reader.unsigned(4),
  207: (reader) => reader.unsigned(8),
  208: (reader) => reader.signed(1),
  209: (reader) => reader.signed(2),
  210: (reader) => reader.signed(4),
  211: (reader) => reader.signed(8),
  217: (reader) => reader.text(reader.unsigned(1)),
  218: (reader) => reader.text(reader.unsigned(2)),
  219: (reader) => reader.text(reader.unsigned(4)),
  220: (reader) => reader.list(reader.unsigned(2)),
  221: (reader) => reader.list(reader.unsigned(4)),
  222: (reader) => reader.map(reader.unsigned(2)),
  223: (reader) => reader.map(reader.unsigned(4)),
};
