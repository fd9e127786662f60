import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { createFolder } from '../../create-folder.ts';
import { lockDataFolder } from '../sql/data-folder-lock.ts';
import { findUnknownMigrations } from '../sql/migrate.ts';
import { extractBackup, type TarReader } from './archive-extractor.ts';
import { BackupError } from './backup-error.ts';
import { assertEmptyBucket, moveFilesIntoBucket } from './bucket-files.ts';
import type { Installation } from './create-backup.ts';
import { type Manifest, POSTGRES_NAME, SQLITE_NAME } from './manifest.ts';
import { moveEntries, placeFolder } from './place-folder.ts';
import { restorePostgres } from './postgres-dump.ts';
import { readMigrations } from './sqlite-copy.ts';

/** A finished restoration. */
export interface Restoration {
  readonly manifest: Manifest;
  /** Folder with the data that was there before; undefined when there was none. */
  readonly replacedFolder: string | undefined;
}

/**
 * Restores a backup into a data folder, and into the PostgreSQL database and the bucket of the settings, if there are any.
 * Everything is verified before anything is changed. A folder that did not exist appears complete, by one rename.
 */
export async function restoreBackup(
  path: string,
  { dataFolder, database, bucket }: Pick<Installation, 'dataFolder' | 'database' | 'bucket'>,
  { mayReplace, readTar }: { readonly mayReplace: boolean; readonly readTar: TarReader },
): Promise<Restoration> {
  const folder = resolve(dataFolder);
  const isOccupied = existsSync(folder) && (await readdir(folder)).length > 0;
  if (isOccupied && !mayReplace) {
    throw new BackupError(
      'data_exists',
      `The folder ${folder} is not empty; add --replace to move its content aside, or name another with --data.`,
    );
  }
  if (bucket !== undefined && !mayReplace) await assertEmptyBucket(bucket);
  // Refuses while a server uses the folder.
  const lock = isOccupied ? lockDataFolder(folder) : undefined;
  const parent = existsSync(folder) ? folder : dirname(folder);
  await createFolder(parent, 0o700);
  const staging = await mkdtemp(join(parent, '.restore-'));
  try {
    const manifest = await extractBackup(path, staging, readTar);
    assertUsable(manifest, staging, database.kind);
    // Before the database, whose rows name the files.
    if (bucket !== undefined) await moveFilesIntoBucket(join(staging, 'data'), bucket);
    if (database.kind === 'postgres') {
      await restorePostgres(database.address, join(staging, POSTGRES_NAME), { mayReplace });
    }
    const content = await arrange(staging, database.kind);
    const replacedFolder = await placeFolder(content, folder);
    return { manifest, replacedFolder };
  } finally {
    await rm(staging, { recursive: true, force: true });
    lock?.release();
  }
}

/** Throws a `BackupError` when this version or this kind of database cannot use the backup. */
function assertUsable({ database }: Manifest, staging: string, kind: 'sqlite' | 'postgres'): void {
  const [unknown] = findUnknownMigrations(database.migrations);
  if (unknown !== undefined) {
    throw new BackupError(
      'backup_newer',
      `The backup was made by a newer version of Mynah (schema ${unknown}); restore it with that version.`,
    );
  }
  if (database.kind !== kind) {
    throw new BackupError(
      'backup_database_kind',
      database.kind === 'postgres'
        ? 'The backup is of a PostgreSQL database; name the database to restore into with MYNAH_DATABASE_URL.'
        : 'The backup is of a SQLite database; restore it without MYNAH_DATABASE_URL.',
    );
  }
  const copy = join(staging, kind === 'sqlite' ? SQLITE_NAME : POSTGRES_NAME);
  if (!existsSync(copy)) throw new BackupError('backup_broken', 'The backup has no database.');
  if (kind === 'sqlite' && readMigrations(copy).join() !== database.migrations.join()) {
    throw new BackupError('backup_broken', 'The schema of the database is not the one in the manifest.');
  }
}

/** The content of the new data folder, from an extracted archive. */
async function arrange(staging: string, kind: 'sqlite' | 'postgres'): Promise<string> {
  const content = join(staging, 'data');
  await mkdir(content, { recursive: true, mode: 0o700 });
  if (kind === 'sqlite') await moveEntries(join(staging, 'database'), content);
  return content;
}
