import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { type Pack, pack } from 'tar-stream';
import { BackupError } from './backup-error.ts';
import { FILES_MAX, MANIFEST_NAME, type Manifest, type ManifestFile } from './manifest.ts';

const FILE_MODE = 0o600;

/** What a manifest contains besides the files. */
export type ManifestFacts = Omit<Manifest, 'files'>;

/**
 * Writes a tar file with a manifest at its end. The content passes through memory in chunks. The file has its name only
 * once it is complete and on disk.
 */
export async function writeArchive(
  path: string,
  write: (archive: ArchiveWriter) => Promise<ManifestFacts>,
  { mayReplace }: { readonly mayReplace: boolean },
): Promise<Manifest> {
  const partial = `${path}.${process.pid}.partial`;
  const output = await open(partial, 'wx', FILE_MODE);
  try {
    const manifest = await fill(output, write);
    await output.sync();
    await output.close();
    if (!mayReplace) await claimName(path);
    await rename(partial, path);
    return manifest;
  } catch (error) {
    await output.close().catch(() => {});
    await rm(partial, { force: true });
    throw error;
  }
}

/** Creates the file, so that a file of another process is not replaced. */
async function claimName(path: string): Promise<void> {
  try {
    await (await open(path, 'wx', FILE_MODE)).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new BackupError('backup_exists', `${path} exists; add --replace to replace it.`);
  }
}

async function fill(
  output: FileHandle,
  write: (archive: ArchiveWriter) => Promise<ManifestFacts>,
): Promise<Manifest> {
  const tar = pack();
  /** Such as a full disk. It makes entries fail as well, with less precise errors. */
  let writeFailure: unknown;
  const written = (async () => {
    for await (const chunk of tar) {
      await output.writeFile(chunk as Uint8Array).catch((error: unknown) => {
        writeFailure = error;
        throw error;
      });
    }
  })();
  written.catch(() => {});
  const archive = new ArchiveWriter(tar, written);
  try {
    const facts = await write(archive);
    const manifest = { ...facts, files: [...archive.files] };
    await archive.addText(MANIFEST_NAME, `${JSON.stringify(manifest)}\n`);
    tar.finalize();
    await written;
    return manifest;
  } catch (error) {
    tar.destroy();
    await written.catch(() => {});
    throw writeFailure ?? error;
  }
}

/** Adds entries to an archive, one at a time. */
export class ArchiveWriter {
  readonly #tar: Pack;
  readonly #written: Promise<void>;
  readonly #files: ManifestFile[] = [];

  constructor(tar: Pack, written: Promise<void>) {
    this.#tar = tar;
    this.#written = written;
  }

  get files(): readonly ManifestFile[] {
    return this.#files;
  }

  async addText(name: string, text: string): Promise<void> {
    const bytes = Buffer.from(text);
    await this.#addEntry({ name, bytes: bytes.length, modifiedAt: new Date(), content: [bytes] });
  }

  /** Adds a file and records it for the manifest. False when the file does not exist. */
  async addFile(name: string, path: string): Promise<boolean> {
    if (this.#files.length >= FILES_MAX) {
      throw new BackupError('backup_too_large', `A backup holds at most ${FILES_MAX} files.`);
    }
    let file: FileHandle;
    try {
      file = await open(path, 'r');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
    try {
      const { size, mtime } = await file.stat();
      const hash = createHash('sha256');
      // A file that grows is stored with the size that it had.
      const content = size === 0 ? [] : file.createReadStream({ end: size - 1, autoClose: false });
      const stored = await this.#addEntry({ name, bytes: size, modifiedAt: mtime, content }, hash);
      if (stored !== size) {
        throw new BackupError(
          'backup_source_changed',
          `${path} became shorter during the backup; repeat it.`,
        );
      }
      this.#files.push({ name, bytes: size, sha256: hash.digest('hex') });
      return true;
    } finally {
      await file.close();
    }
  }

  /** Returns the number of bytes that the content had. */
  async #addEntry(
    {
      name,
      bytes,
      modifiedAt,
      content,
    }: {
      readonly name: string;
      readonly bytes: number;
      readonly modifiedAt: Date;
      readonly content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
    },
    hash = createHash('sha256'),
  ): Promise<number> {
    let count = 0;
    let onEnd: (error?: Error | null) => void = () => {};
    const closed = new Promise<void>((resolve, reject) => {
      onEnd = (error) => (error ? reject(error) : resolve());
    });
    const header = { name, size: bytes, mode: FILE_MODE, mtime: modifiedAt };
    const entry = this.#tar.entry(header, (error) => onEnd(error));
    // An error of the entry reaches the callback as well.
    entry.on('error', () => {});
    const ended = Promise.race([closed, this.#written]);
    ended.catch(() => {});
    for await (const chunk of content) {
      hash.update(chunk);
      count += chunk.length;
      if (!entry.write(chunk)) await Promise.race([once(entry, 'drain'), ended]);
    }
    if (count === bytes) {
      entry.end(undefined);
      await ended;
    }
    return count;
  }
}
