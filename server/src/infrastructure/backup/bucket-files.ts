import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ArchiveWriter } from './archive-writer.ts';
import { BackupError } from './backup-error.ts';
import { listDataFiles } from './data-files.ts';
import { DATA_PREFIX, isSafeName } from './manifest.ts';

/** The bucket of an installation that keeps its files there. */
export interface Bucket {
  /** The names of the objects that start with `prefix`. */
  list(prefix: string): AsyncIterable<string>;
  /** The content of an object. Undefined for an unknown name. */
  get(name: string): Promise<AsyncIterable<Uint8Array> | undefined>;
  put(name: string, content: AsyncIterable<Uint8Array>): Promise<void>;
}

/** Prefixes of objects, and the folders that hold the same files in an installation without a bucket. */
const FOLDERS = [
  { prefix: 'files/', folder: 'files' },
  { prefix: 'uploads/', folder: 'uploads/kept' },
] as const;

/** Whether a file of the data folder is left from a time without a bucket. */
export function isInBucket(path: string): boolean {
  return FOLDERS.some(({ folder }) => path.startsWith(`${folder}/`));
}

/**
 * Adds the objects of a bucket under the names that they would have in a data folder, so that a backup can be restored with
 * a bucket and without one. `scratch` holds one object at a time, because an archive states the size before the content.
 */
export async function addBucketFiles(archive: ArchiveWriter, bucket: Bucket, scratch: string): Promise<void> {
  const copy = join(scratch, 'object');
  for (const { prefix, folder } of FOLDERS) {
    for await (const object of bucket.list(prefix)) {
      const name = `${DATA_PREFIX}${folder}/${object.slice(prefix.length)}`;
      // An object of another program, which a data folder could not hold.
      if (!isSafeName(name)) continue;
      const content = await bucket.get(object);
      if (content === undefined) continue;
      await pipeline(content, createWriteStream(copy, { mode: 0o600 }));
      await archive.addFile(name, copy);
    }
  }
  await rm(copy, { force: true });
}

/** Throws a `BackupError` when the bucket has files already. */
export async function assertEmptyBucket(bucket: Bucket): Promise<void> {
  for (const { prefix } of FOLDERS) {
    for await (const _ of bucket.list(prefix)) {
      throw new BackupError(
        'bucket_not_empty',
        'The bucket of MYNAH_FILES_URL has files already; add --replace to write the files of the backup beside and over them.',
      );
    }
  }
}

/** Moves the files of an extracted data folder that belong into the bucket. */
export async function moveFilesIntoBucket(content: string, bucket: Bucket): Promise<void> {
  for (const { prefix, folder } of FOLDERS) {
    for await (const path of listDataFiles(content, folder)) {
      await bucket.put(prefix + path.slice(folder.length + 1), createReadStream(join(content, path)));
    }
    await rm(join(content, folder), { recursive: true, force: true });
  }
}
