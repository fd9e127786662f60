import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { LocalRecording, Upload, UploadStore } from '../../domain/transcription/upload-store.ts';
import { assertFileName } from './file-name.ts';
import type { S3Bucket } from './s3-bucket.ts';
import type { UploadFolder } from './upload-folder.ts';

/** Prefix of the objects. */
const FOLDER = 'uploads/';

/** Uploads that arrive in a folder and are stored in an S3 bucket, where every server finds them. */
export class S3UploadStore implements UploadStore {
  readonly #bucket: S3Bucket;
  readonly #folder: UploadFolder;

  constructor(bucket: S3Bucket, folder: UploadFolder) {
    this.#bucket = bucket;
    this.#folder = folder;
  }

  /** Deletes a stored recording; a missing one is not an error. */
  static async discardStored(bucket: S3Bucket, name: string): Promise<void> {
    assertFileName(name);
    await bucket.remove(FOLDER + name);
  }

  async create(): Promise<Upload> {
    const { path, remove } = await this.#folder.create();
    return {
      path,
      store: async (name) => {
        assertFileName(name);
        await this.#bucket.put(FOLDER + name, createReadStream(path));
        await remove();
      },
      remove,
    };
  }

  async openLocal(name: string): Promise<LocalRecording> {
    assertFileName(name);
    const content = await this.#bucket.get(FOLDER + name);
    if (content === undefined) throw new Error('The recording is not in the file storage.');
    const { path, remove } = await this.#folder.create();
    try {
      await pipeline(content, createWriteStream(path, { mode: 0o600 }));
    } catch (error) {
      await remove();
      throw error;
    }
    return { path, release: remove };
  }

  discard(name: string): Promise<void> {
    return S3UploadStore.discardStored(this.#bucket, name);
  }

  async listStored(): Promise<readonly { readonly name: string; readonly storedAtMs: number }[]> {
    const objects = await this.#bucket.list(FOLDER);
    return objects.map(({ name, modifiedAtMs }) => ({
      name: name.slice(FOLDER.length),
      storedAtMs: modifiedAtMs,
    }));
  }

  async close(): Promise<void> {
    await this.#folder.close();
  }
}
