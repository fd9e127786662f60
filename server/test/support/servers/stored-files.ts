import { readdir, truncate } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { bucketOf, uploadsFolderOf } from '../../../src/compose/files.ts';
import type { Config } from '../../../src/config/config.ts';
import type { S3Bucket } from '../../../src/infrastructure/files/s3-bucket.ts';

/** Where both kinds of storage keep the files of voices and audiobooks. */
const FOLDER = 'files';
const CHUNK_BYTES = 2 ** 20;

/** What a server stores as files: in its data folder, or in its bucket. */
export class StoredFiles {
  readonly #root: string;
  /** Recordings of jobs. */
  readonly #uploads: string;
  readonly #bucket: S3Bucket | undefined;

  constructor(config: Config) {
    this.#root = join(config.dataFolder, FOLDER);
    this.#uploads = join(uploadsFolderOf(config), 'kept');
    this.#bucket = bucketOf(config);
  }

  /** Names of the files of voices and audiobooks, such as `voices/ID/cover`. */
  async list(): Promise<string[]> {
    if (this.#bucket !== undefined) {
      return (await this.#bucket.list(`${FOLDER}/`)).map(({ name }) => name.slice(FOLDER.length + 1));
    }
    const entries = await readdir(this.#root, { recursive: true, withFileTypes: true }).catch(noEntries);
    return entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(this.#root, join(parentPath, name)));
  }

  /** Names of the recordings of jobs. */
  async listUploads(): Promise<string[]> {
    if (this.#bucket === undefined) return readdir(this.#uploads);
    return (await this.#bucket.list('uploads/')).map(({ name }) => name.slice('uploads/'.length));
  }

  /** The content of everything in the bucket. Empty without one. */
  async readBucket(): Promise<{ path: string; bytes: Buffer }[]> {
    const bucket = this.#bucket;
    const objects = (await bucket?.list('')) ?? [];
    return Promise.all(
      objects.map(async ({ name }) => {
        const chunks: Uint8Array[] = [];
        // An object may be removed after the listing.
        for await (const chunk of (await bucket?.get(name)) ?? []) chunks.push(chunk);
        return { path: name, bytes: Buffer.concat(chunks) };
      }),
    );
  }

  /** Gives a file this size; what is added are zeros. */
  async resize(name: string, bytes: number): Promise<void> {
    if (this.#bucket === undefined) await truncate(join(this.#root, name), bytes);
    else await this.#bucket.put(`${FOLDER}/${name}`, zeros(bytes));
  }
}

function noEntries(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

async function* zeros(bytes: number): AsyncGenerator<Uint8Array> {
  const chunk = new Uint8Array(CHUNK_BYTES);
  for (let at = 0; at < bytes; at += CHUNK_BYTES) yield chunk.subarray(0, Math.min(CHUNK_BYTES, bytes - at));
}
