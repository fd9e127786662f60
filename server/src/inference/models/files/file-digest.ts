import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';

/** Size and hashes of a file. */
export interface FileDigest {
  readonly sizeBytes: number;
  readonly sha256: string;
  /** The git object id, which the hub reports for files outside its large-file storage. */
  readonly gitBlobSha1: string;
}

/** Computes the digest of a file. Rejects with `AbortError` when the signal is aborted. */
export async function digestFile(path: string, signal?: AbortSignal): Promise<FileDigest> {
  const { size: sizeBytes } = await stat(path);
  const sha256 = createHash('sha256');
  const gitBlobSha1 = createHash('sha1').update(`blob ${sizeBytes}\0`);
  const stream = createReadStream(path, { highWaterMark: 1 << 20, ...(signal && { signal }) });
  for await (const chunk of stream) {
    sha256.update(chunk);
    gitBlobSha1.update(chunk);
  }
  return { sizeBytes, sha256: sha256.digest('hex'), gitBlobSha1: gitBlobSha1.digest('hex') };
}

/** The SHA-256 of a file in hex. */
export async function fileSha256(path: string): Promise<string> {
  const sha256 = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) sha256.update(chunk);
  return sha256.digest('hex');
}

/** The size of a regular file; undefined when there is none at this path. */
export async function fileSizeBytes(path: string): Promise<number | undefined> {
  try {
    const stats = await stat(path);
    return stats.isFile() ? stats.size : undefined;
  } catch {
    return undefined;
  }
}
