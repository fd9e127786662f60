import { type Extract, extract } from 'tar-stream';
import { ModelStoreError } from '../files/model-store-error.ts';

const BLOCK_BYTES = 512;

/** A regular file inside a tar archive. */
export interface TarEntry {
  /** As written in the archive. Never use it as a path on disk. */
  readonly path: string;
  readonly sizeBytes: number;
}

/** Receives the content of one entry. `offsetBytes` is the position of the chunk inside the entry. */
export type TarEntrySink = (chunk: Uint8Array, offsetBytes: number) => Promise<void>;

/**
 * Reads an uncompressed tar stream (POSIX ustar and pax, and GNU long names). `select` is called for every regular
 * file and returns a sink to receive its content, or `'stop'` to end early. A truncated or damaged archive fails with
 * `broken_archive`; errors of the stream and of the sinks are thrown unchanged.
 */
export async function readTar(
  stream: AsyncIterable<Uint8Array>,
  select: (entry: TarEntry) => TarEntrySink | 'stop' | undefined,
): Promise<void> {
  const archive = extract();
  const input = new ArchiveInput(stream, archive);
  let sinkFailure: { readonly error: unknown } | undefined;
  let entriesEndByte = 0;
  try {
    for await (const entry of archive) {
      const { name: path, type, size: sizeBytes } = entry.header;
      if (!Number.isSafeInteger(sizeBytes)) throw new Error('an entry has no valid size');
      const sink = type === 'file' ? select({ path, sizeBytes }) : undefined;
      if (sink === 'stop') return;
      let offsetBytes = 0;
      for await (const chunk of entry as AsyncIterable<Uint8Array>) {
        await sink?.(chunk, offsetBytes).catch((error: unknown) => {
          sinkFailure = { error };
          throw error;
        });
        offsetBytes += chunk.length;
      }
      entriesEndByte = entry.offset + BLOCK_BYTES + roundUpToBlock(sizeBytes);
    }
    // tar-stream accepts an archive that ends without a zero block, which is a truncated one.
    if (!input.hasEndBlockAfter(entriesEndByte)) throw new Error('the end of the archive is missing');
  } catch (error) {
    const failure = sinkFailure ?? input.failure;
    throw failure === undefined ? createBrokenArchiveError(error) : failure.error;
  } finally {
    archive.destroy();
    await input.closed;
  }
}

/** Writes a stream to tar-stream's parser with backpressure, and closes the stream when the parser is destroyed. */
class ArchiveInput {
  readonly closed: Promise<void>;
  /** The error of the stream itself, as opposed to an error of the archive. */
  failure: { readonly error: unknown } | undefined;
  #totalBytes = 0;
  /** Zero bytes at the end of the stream so far. */
  #trailingZeros = 0;

  constructor(stream: AsyncIterable<Uint8Array>, archive: Extract) {
    this.closed = this.#pump(stream, archive);
  }

  /** Whether the archive has a zero block as its end, after all entries. */
  hasEndBlockAfter(entriesEndByte: number): boolean {
    return this.#trailingZeros >= BLOCK_BYTES && this.#totalBytes >= entriesEndByte + BLOCK_BYTES;
  }

  async #pump(stream: AsyncIterable<Uint8Array>, archive: Extract): Promise<void> {
    let wake = () => {};
    let isDestroyed = false;
    archive.on('drain', () => wake());
    archive.on('close', () => {
      isDestroyed = true;
      wake();
    });
    try {
      for await (const chunk of stream) {
        this.#count(chunk);
        const drained = new Promise<void>((resolve) => {
          wake = resolve;
        });
        if (!isDestroyed && !archive.write(chunk)) await drained;
        if (isDestroyed) return;
      }
      archive.end(undefined);
    } catch (error) {
      this.failure = { error };
      archive.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #count(chunk: Uint8Array): void {
    this.#totalBytes += chunk.length;
    const lastNonZero = chunk.findLastIndex((byte) => byte !== 0);
    this.#trailingZeros =
      lastNonZero === -1 ? this.#trailingZeros + chunk.length : chunk.length - 1 - lastNonZero;
  }
}

function roundUpToBlock(sizeBytes: number): number {
  return Math.ceil(sizeBytes / BLOCK_BYTES) * BLOCK_BYTES;
}

function createBrokenArchiveError(cause: unknown): ModelStoreError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new ModelStoreError('broken_archive', `The archive cannot be read: ${reason}.`, { cause });
}
