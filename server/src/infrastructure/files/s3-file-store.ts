import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { FileStore } from '../../domain/voices/file-store.ts';
import { ApiError } from '../../errors.ts';
import type { FileCache } from './file-cache.ts';
import { assertFileName } from './file-name.ts';
import type { S3Bucket } from './s3-bucket.ts';

/** Prefix of the objects. */
const FOLDER = 'files/';

/** Files in an S3 bucket, with copies on disk for readers. While the bucket cannot be reached, the copies are served. */
export class S3FileStore implements FileStore {
  readonly #bucket: S3Bucket;
  readonly #cache: FileCache;

  constructor(bucket: S3Bucket, cache: FileCache) {
    this.#bucket = bucket;
    this.#cache = cache;
  }

  async write(name: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
    assertFileName(name);
    await this.#bucket.put(FOLDER + name, content);
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    const path = await this.locate(name);
    return path === undefined ? undefined : readFile(path);
  }

  async locate(name: string): Promise<string | undefined> {
    assertFileName(name);
    try {
      return await this.#download(name);
    } catch (error) {
      const isOutage = error instanceof ApiError && error.code === 'storage_unavailable';
      const copy = isOutage ? await this.#cache.findAny(name) : undefined;
      if (copy !== undefined) return copy;
      throw error;
    }
  }

  async remove(name: string): Promise<void> {
    assertFileName(name);
    const below = await this.#bucket.list(`${FOLDER}${name}/`);
    const names = [name, ...below.map((object) => object.name.slice(FOLDER.length))];
    for (const each of names) {
      await this.#bucket.remove(FOLDER + each);
      await this.#cache.remove(each);
    }
  }

  async forget(folder: string): Promise<void> {
    assertFileName(folder);
    await this.#cache.removeFolder(folder);
  }

  async forgetRemoved(): Promise<void> {
    const names = [...(await this.#cache.names())];
    for (const folder of new Set(names.map(dirname))) {
      const objects = await this.#bucket.list(folder === '.' ? FOLDER : `${FOLDER}${folder}/`);
      const stored = new Set(objects.map((object) => object.name.slice(FOLDER.length)));
      const removed = names.filter((name) => dirname(name) === folder && !stored.has(name));
      for (const name of removed) await this.#cache.remove(name);
    }
  }

  async #download(name: string): Promise<string | undefined> {
    const object = await this.#bucket.find(FOLDER + name);
    if (object === undefined) {
      await this.#cache.remove(name);
      return undefined;
    }
    const copy = await this.#cache.find(name, object.etag);
    if (copy !== undefined) return copy;
    const content = await this.#bucket.get(FOLDER + name);
    if (content === undefined) return undefined;
    const path = await this.#cache.add(name, object.etag, content);
    // Another server may have removed the file in the meantime; its notification came before the copy.
    if ((await this.#bucket.find(FOLDER + name)) !== undefined) return path;
    await this.#cache.remove(name);
    return undefined;
  }
}
