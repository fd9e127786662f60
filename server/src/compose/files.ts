import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { UploadStore } from '../domain/transcription/upload-store.ts';
import type { FileStore } from '../domain/voices/file-store.ts';
import { FileCache } from '../infrastructure/files/file-cache.ts';
import { FolderFileStore } from '../infrastructure/files/folder-file-store.ts';
import { S3Bucket } from '../infrastructure/files/s3-bucket.ts';
import { S3FileStore } from '../infrastructure/files/s3-file-store.ts';
import { S3UploadStore } from '../infrastructure/files/s3-upload-store.ts';
import { UploadFolder } from '../infrastructure/files/upload-folder.ts';
import type { Logger } from '../logger.ts';
import { StartupError } from './startup-error.ts';

type FilesConfig = Pick<
  Config,
  'filesUrl' | 'filesAccessKey' | 'filesSecretKey' | 'filesCacheMaxBytes' | 'dataFolder' | 'uploadsFolder'
>;

/** The folder of uploads. */
export function uploadsFolderOf(config: Pick<Config, 'uploadsFolder' | 'dataFolder'>): string {
  return config.uploadsFolder ?? join(config.dataFolder, 'uploads');
}

/** The bucket of the settings. Undefined: files are in the data folder. */
export function bucketOf(config: FilesConfig): S3Bucket | undefined {
  const { filesUrl, filesAccessKey, filesSecretKey } = config;
  if (filesUrl === undefined) return undefined;
  return new S3Bucket({
    ...filesUrl,
    accessKey: filesAccessKey?.reveal() ?? '',
    secretKey: filesSecretKey?.reveal() ?? '',
  });
}

/**
 * Checks the bucket at the start. Throws a `StartupError` when the server refuses access or the bucket does not exist. A
 * server that cannot be reached is only logged: speech needs no files.
 */
export async function checkBucket(config: FilesConfig, logger: Logger): Promise<void> {
  const { filesUrl, filesAccessKey, filesSecretKey } = config;
  if (filesUrl === undefined) return;
  if (filesAccessKey === undefined || filesSecretKey === undefined) {
    throw new StartupError('MYNAH_FILES_URL needs MYNAH_FILES_ACCESS_KEY and MYNAH_FILES_SECRET_KEY.');
  }
  try {
    await bucketOf(config)?.check();
  } catch (error) {
    const { cause = error } = error as Error;
    const problem = `The bucket ${filesUrl.bucket} at ${filesUrl.endpoint} cannot be used: ${(cause as Error).message}`;
    // An answer of the server, as opposed to a lost connection or a fault.
    const { statusCode = 0 } = cause as { readonly statusCode?: number };
    if (statusCode >= 400 && statusCode < 500) throw new StartupError(problem, { cause: error });
    logger.error({ problem }, problem);
  }
}

/** Recordings, covers, samples and previews of voices, and audiobooks. `cacheName` names the folder for copies of remote files. */
export function openFileStore(
  config: FilesConfig,
  cacheName: 'files' | 'previews' | 'audiobooks',
): FileStore {
  const bucket = bucketOf(config);
  if (bucket === undefined) return new FolderFileStore(join(config.dataFolder, 'files'));
  const folder = join(config.dataFolder, 'cache', cacheName);
  return new S3FileStore(bucket, new FileCache(folder, config.filesCacheMaxBytes));
}

/** Opens the store of uploads. */
export async function openUploads(config: FilesConfig): Promise<UploadStore & { close(): Promise<void> }> {
  const folder = await UploadFolder.open(uploadsFolderOf(config));
  const bucket = bucketOf(config);
  return bucket === undefined ? folder : new S3UploadStore(bucket, folder);
}

/** Deletes the stored recording of a job without opening the store; a missing one is not an error. */
export async function discardUpload(config: FilesConfig, jobId: string): Promise<void> {
  const bucket = bucketOf(config);
  if (bucket === undefined) await UploadFolder.discardStored(uploadsFolderOf(config), jobId);
  else await S3UploadStore.discardStored(bucket, jobId);
}
