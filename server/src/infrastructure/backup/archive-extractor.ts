import { createHash, type Hash } from 'node:crypto';
import { closeSync, createReadStream, fsyncSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BackupError } from './backup-error.ts';
import {
  FILES_MAX,
  isSafeName,
  MANIFEST_BYTES_MAX,
  MANIFEST_NAME,
  type Manifest,
  type ManifestFile,
  parseManifest,
} from './manifest.ts';

/**
 * Reads a tar stream and calls `select` for every regular file, in order; the returned function receives the content in
 * chunks. Rejects when the archive is truncated or damaged.
 */
export type TarReader = (
  stream: AsyncIterable<Uint8Array>,
  select: (entry: {
    readonly path: string;
    readonly sizeBytes: number;
  }) => (chunk: Uint8Array) => Promise<void>,
) => Promise<void>;

/**
 * Extracts a backup into an empty folder, file by file, and compares every file with the manifest. Throws a
 * `BackupError` when a file is missing, superfluous or different.
 */
export async function extractBackup(path: string, folder: string, readTar: TarReader): Promise<Manifest> {
  const extraction = new Extraction(folder);
  const stream = createReadStream(path);
  try {
    await readTar(stream, ({ path: name, sizeBytes }) => extraction.begin(name, sizeBytes));
    return extraction.finish();
  } catch (error) {
    // The reader of the archive reports a refused entry as its own error.
    if (extraction.failure !== undefined) throw extraction.failure;
    const { code, message } = error as { code?: unknown; message: string };
    throw code === 'broken_archive' ? new BackupError('backup_broken', message, { cause: error }) : error;
  } finally {
    stream.destroy();
    extraction.close();
  }
}

interface ExtractedFile {
  readonly name: string;
  readonly descriptor: number;
  readonly hash: Hash;
  bytes: number;
}

/** Codes of the system for a name that exists, or is that of a folder, or has a file as its folder. */
const NAME_CONFLICTS: ReadonlySet<string | undefined> = new Set(['EEXIST', 'EISDIR', 'ENOTDIR']);

/** Writes synchronously: a restoration does nothing else, and every entry is complete before the next. */
class Extraction {
  readonly #folder: string;
  readonly #files = new Map<string, ManifestFile>();
  readonly #manifest: Uint8Array[] = [];
  #hasManifest = false;
  /** Why an entry was refused. */
  failure: unknown;
  #current: ExtractedFile | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  begin(name: string, sizeBytes: number): (chunk: Uint8Array) => Promise<void> {
    try {
      return this.#begin(name, sizeBytes);
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }

  #begin(name: string, sizeBytes: number): (chunk: Uint8Array) => Promise<void> {
    this.close();
    if (this.#hasManifest) throw createBrokenArchiveError('a file follows its manifest');
    if (name === MANIFEST_NAME) {
      if (sizeBytes > MANIFEST_BYTES_MAX) throw createBrokenArchiveError('its manifest is too large');
      this.#hasManifest = true;
      return async (chunk) => void this.#manifest.push(chunk.slice());
    }
    if (!isSafeName(name)) throw createBrokenArchiveError('it has a file with a forbidden name');
    if (this.#files.size >= FILES_MAX) throw createBrokenArchiveError('it has too many files');
    const file = { name, descriptor: this.#create(name), hash: createHash('sha256'), bytes: 0 };
    this.#current = file;
    return async (chunk) => {
      file.hash.update(chunk);
      file.bytes += chunk.length;
      for (let at = 0; at < chunk.length; ) at += writeSync(file.descriptor, chunk, at);
    };
  }

  /** Creates a file, which must not exist: the folder was empty before. */
  #create(name: string): number {
    const path = join(this.#folder, name);
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      return openSync(path, 'wx', 0o600);
    } catch (error) {
      if (!NAME_CONFLICTS.has((error as NodeJS.ErrnoException).code)) throw error;
      throw createBrokenArchiveError(
        `it has two entries with the name ${name}, or a file below another file`,
      );
    }
  }

  /** Completes the current file on disk. */
  close(): void {
    if (this.#current === undefined) return;
    const { name, descriptor, hash, bytes } = this.#current;
    this.#current = undefined;
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    this.#files.set(name, { name, bytes, sha256: hash.digest('hex') });
  }

  finish(): Manifest {
    this.close();
    if (!this.#hasManifest)
      throw createBrokenArchiveError('it has no manifest, so it is incomplete or not a backup of Mynah');
    const manifest = parseManifest(Buffer.concat(this.#manifest).toString('utf8'));
    if (manifest.files.length !== this.#files.size)
      throw createBrokenArchiveError('files and manifest differ in number');
    for (const { name, bytes, sha256 } of manifest.files) {
      const found = this.#files.get(name);
      if (found?.bytes !== bytes || found.sha256 !== sha256) {
        throw createBrokenArchiveError(`the file ${name} is not the one in the manifest`);
      }
    }
    return manifest;
  }
}

function createBrokenArchiveError(reason: string): BackupError {
  return new BackupError('backup_broken', `The backup cannot be used: ${reason}.`);
}
