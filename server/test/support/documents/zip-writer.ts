import { crc32, deflateRawSync } from 'node:zlib';

/** Builds a ZIP archive of files. `declaredBytes` replaces the uncompressed size, for damaged archives. */
export function zip(
  files: Readonly<Record<string, string | Uint8Array>>,
  options: { readonly declaredBytes?: number } = {},
): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content);
    const compressed = deflateRawSync(bytes);
    const header = headerOf(compressed.length, options.declaredBytes ?? bytes.length, crc32(bytes), name);
    const local = Buffer.concat([
      Buffer.from([0x50, 0x4b, 3, 4, 20, 0]),
      header,
      Buffer.from(name),
      compressed,
    ]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(
      Buffer.concat([Buffer.from([0x50, 0x4b, 1, 2, 20, 0, 20, 0]), header, tail, Buffer.from(name)]),
    );
    parts.push(local);
    offset += local.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, list, end]);
}

/** The fields from the flags to the length of the extra field. */
function headerOf(compressedBytes: number, bytes: number, checksum: number, name: string): Buffer {
  const header = Buffer.alloc(24);
  header.writeUInt16LE(8, 2);
  header.writeUInt32LE(checksum, 8);
  header.writeUInt32LE(compressedBytes, 12);
  header.writeUInt32LE(bytes, 16);
  header.writeUInt16LE(Buffer.byteLength(name), 20);
  return header;
}
