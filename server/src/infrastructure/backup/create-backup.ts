import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type ArchiveWriter, writeArchive } from './archive-writer.ts';
import { addBucketFiles, type Bucket, isInBucket } from './bucket-files.ts';
import { listDataFiles } from './data-files.ts';
import { DATA_PREFIX, FORMAT, type Manifest, POSTGRES_NAME, SQLITE_NAME } from './manifest.ts';
import { dumpPostgres } from './postgres-dump.ts';
import { copySqlite } from './sqlite-copy.ts';

/** The file of the first API key, in plain text. */
const FIRST_KEY = `${DATA_PREFIX}first-key`;

/** Where an installation stores its data. */
export interface Installation {
  readonly dataFolder: string;
  /** The path of a SQLite file, or the URL of a PostgreSQL database. */
  readonly database: { readonly kind: 'sqlite' | 'postgres'; readonly address: string };
  /** Undefined: files are in the data folder. */
  readonly bucket: Bucket | undefined;
  readonly version: string;
}

/**
 * Writes the database and the files of the data folder and of the bucket into one tar file. The server may run: the database is copied
 * first, at one moment. A server writes the files of a voice before its row and removes them after it, so that only
 * voices that are deleted during the backup lack files.
 */
export async function createBackup(
  { dataFolder, database, bucket, version }: Installation,
  path: string,
  options: { readonly mayReplace: boolean },
): Promise<Manifest> {
  const target = resolve(path);
  // On the disk of the backup, which has to have room for it anyway. Only the owner can read it.
  const scratch = await mkdtemp(join(dirname(target), '.mynah-backup-'));
  try {
    return await writeArchive(
      target,
      async (archive) => {
        const isSqlite = database.kind === 'sqlite';
        const copy = join(scratch, 'database');
        const migrations = isSqlite
          ? copySqlite(database.address, copy)
          : await dumpPostgres(database.address, copy);
        await archive.addFile(isSqlite ? SQLITE_NAME : POSTGRES_NAME, copy);
        await rm(copy);
        await addDataFiles(archive, { dataFolder, target, hasBucket: bucket !== undefined });
        if (bucket !== undefined) await addBucketFiles(archive, bucket, scratch);
        return {
          format: FORMAT,
          version,
          createdAt: new Date().toISOString(),
          database: { kind: database.kind, migrations },
          secrets: archive.files.map(({ name }) => name).filter((name) => name === FIRST_KEY),
        };
      },
      options,
    );
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Adds the files of the data folder, without backups that are in progress there or stored at `target`. */
async function addDataFiles(
  archive: ArchiveWriter,
  { dataFolder, target, hasBucket }: { dataFolder: string; target: string; hasBucket: boolean },
): Promise<void> {
  const own = join(await realpath(dirname(target)), basename(target));
  const root = await realpath(dataFolder).catch(() => dataFolder);
  for await (const path of listDataFiles(dataFolder)) {
    if (join(root, path) === own || /(^|\/)\.mynah-backup-/.test(path)) continue;
    if (hasBucket && isInBucket(path)) continue;
    await archive.addFile(`${DATA_PREFIX}${path}`, join(dataFolder, path));
  }
}
