import type { Config } from '../config/config.ts';
import { VERSION } from '../config/package-info.ts';
import { readTar } from '../inference/models/sources/tar-reader.ts';
import type { Bucket } from '../infrastructure/backup/bucket-files.ts';
import { createBackup, type Installation } from '../infrastructure/backup/create-backup.ts';
import type { Manifest } from '../infrastructure/backup/manifest.ts';
import { type Restoration, restoreBackup } from '../infrastructure/backup/restore-backup.ts';
import { databaseOf } from '../infrastructure/sql/database.ts';
import { bucketOf } from './files.ts';

export { BackupError } from '../infrastructure/backup/backup-error.ts';

interface BackupOptions {
  /** Whether a file, or the content of a data folder, may be replaced. */
  readonly mayReplace: boolean;
}

/** Writes a backup of the configured installation. */
export function backUp(config: Config, path: string, options: BackupOptions): Promise<Manifest> {
  return createBackup(installationOf(config), path, options);
}

/** Restores a backup into the configured installation. */
export function restore(config: Config, path: string, { mayReplace }: BackupOptions): Promise<Restoration> {
  return restoreBackup(path, installationOf(config), { mayReplace, readTar });
}

function installationOf(config: Config): Installation {
  const kind = config.databaseUrl === undefined ? 'sqlite' : 'postgres';
  return {
    dataFolder: config.dataFolder,
    database: { kind, address: databaseOf(config) },
    bucket: backupBucketOf(config),
    version: VERSION,
  };
}

function backupBucketOf(config: Config): Bucket | undefined {
  const bucket = bucketOf(config);
  return (
    bucket && {
      list: (prefix) => bucket.listAll(prefix),
      get: (name) => bucket.get(name),
      put: (name, content) => bucket.put(name, content),
    }
  );
}
