import { ModelStoreError } from '../files/model-store-error.ts';

const BLOCK_BYTES = 512;

/** A regular file inside a tar archive. */
export interface TarEntry {
  /** As written in the archive. Never use it as a path on disk. */
  readonly path: string;
  readonly sizeBytes: number;
}

/** Takes the bytes of one entry. `offsetBytes` is the place of the chunk inside the entry. */
export type TarEntrySink = (chunk: Uint8Array, offsetBytes: number) => Promise<void>;

/**
 * Reads an uncompressed tar stream (POSIX ustar and pax, and GNU long names). `select` sees every regular
 * file and returns a sink for those whose content it wants, and `'stop'` when it needs no more.
 */
export async function readTar(
  stream: AsyncIterable<Uint8Array>,
  select: (entry: TarEntry) => TarEntrySink | 'stop' | undefined,
): Promise<void> {
  const reader = createBlockReader(stream);
  let pax: Map<string, string> = new Map();
  let longPath: string | undefined;
  try {
    for (;;) {
      const header = await reader.readExactly(BLOCK_BYTES);
      if (header.every((byte) => byte === 0)) return;
      assertChecksum(header);
      const sizeBytes = Number(pax.get('size') ?? parseNumber(header.subarray(124, 136)));
      if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 0)
        throw brokenArchive('an entry has no valid size');
      const type = String.fromCharCode(header[156] ?? 0);
      if (type === 'x' || type === 'L') {
        const content = await reader.readExactly(sizeBytes);
        if (type === 'x') pax = parsePax(content);
        else longPath = cutAtNul(content);
      } else {
        const path = pax.get('path') ?? longPath ?? headerPath(header);
        pax = new Map();
        longPath = undefined;
        const sink = type === '0' || type === '\0' ? select({ path, sizeBytes }) : undefined;
        if (sink === 'stop') return;
        await reader.forward(sizeBytes, sink);
      }
      await reader.forward(-sizeBytes & (BLOCK_BYTES - 1));
    }
  } finally {
    await reader.close();
  }
}

function brokenArchive(reason: string): ModelStoreError {
  return new ModelStoreError('broken_archive', `The archive cannot be read: ${reason}.`);
}

function createBlockReader(stream: AsyncIterable<Uint8Array>) {
  const chunks = stream[Symbol.asyncIterator]();
  let buffered: Uint8Array = new Uint8Array(0);

  async function take(maximumBytes: number): Promise<Uint8Array> {
    while (buffered.length === 0) {
      const next = await chunks.next();
      if (next.done) throw brokenArchive('it ends too early');
      buffered = next.value;
    }
    const part = buffered.subarray(0, maximumBytes);
    buffered = buffered.subarray(part.length);
    return part;
  }

  return {
    async readExactly(sizeBytes: number): Promise<Uint8Array> {
      // Only headers are read whole; a megabyte is far more than any has.
      if (sizeBytes > 1 << 20) throw brokenArchive('a header is too large');
      const whole = new Uint8Array(sizeBytes);
      for (let filled = 0; filled < sizeBytes; ) {
        const part = await take(sizeBytes - filled);
        whole.set(part, filled);
        filled += part.length;
      }
      return whole;
    },
    async forward(sizeBytes: number, sink?: TarEntrySink): Promise<void> {
      for (let offsetBytes = 0; offsetBytes < sizeBytes; ) {
        const part = await take(sizeBytes - offsetBytes);
        await sink?.(part, offsetBytes);
        offsetBytes += part.length;
      }
    },
    async close(): Promise<void> {
      await chunks.return?.();
    },
  };
}

function assertChecksum(header: Uint8Array): void {
  let sum = 0;
  for (const [index, byte] of header.entries()) sum += index >= 148 && index < 156 ? 0x20 : byte;
  if (sum !== parseNumber(header.subarray(148, 156))) throw brokenArchive('a header’s checksum is wrong');
}

function parseNumber(field: Uint8Array): number {
  return Number.parseInt(cutAtNul(field).trim() || '0', 8);
}

function headerPath(header: Uint8Array): string {
  // GNU's own variant, which has no NUL after the magic word, keeps other things in the prefix field.
  const isPosix = header[262] === 0;
  const prefix = isPosix ? cutAtNul(header.subarray(345, 500)) : '';
  const name = cutAtNul(header.subarray(0, 100));
  return prefix === '' ? name : `${prefix}/${name}`;
}

function cutAtNul(field: Uint8Array): string {
  const end = field.indexOf(0);
  return new TextDecoder().decode(end === -1 ? field : field.subarray(0, end));
}

/** Records of the form `<length> <key>=<value>\n`, where the length counts the whole record. */
function parsePax(content: Uint8Array): Map<string, string> {
  const records = new Map<string, string>();
  const decoder = new TextDecoder();
  for (let start = 0; start < content.length; ) {
    const space = content.indexOf(0x20, start);
    const lengthBytes = Number(decoder.decode(content.subarray(start, space)));
    if (space === -1 || !Number.isInteger(lengthBytes) || lengthBytes <= 0) {
      throw brokenArchive('an extended header is malformed');
    }
    const record = decoder.decode(content.subarray(space + 1, start + lengthBytes - 1));
    const equals = record.indexOf('=');
    records.set(record.slice(0, equals), record.slice(equals + 1));
    start += lengthBytes;
  }
  return records;
}
