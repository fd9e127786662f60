import { DEFAULT_DATA_FOLDER_RULE, defaultDataFolder } from '../default-data-folder.ts';
import type { Setting } from '../setting.ts';
import { bucketAddress, folder, integer, secret } from '../setting-types.ts';

/** Where the database and the files are. */
export const STORAGE_SETTINGS = {
  dataFolder: {
    env: 'MYNAH_DATA',
    schema: folder(),
    description: 'Folder for the database, the stored files and the first API key. Created when missing.',
    machineDefault: { from: (env) => defaultDataFolder(env), description: DEFAULT_DATA_FOLDER_RULE },
  },
  databaseUrl: {
    env: 'MYNAH_DATABASE_URL',
    schema: secret().optional(),
    description:
      'PostgreSQL connection URL, `postgres://user:password@host/name`. Not set: SQLite in the data folder.',
  },
  filesUrl: {
    env: 'MYNAH_FILES_URL',
    schema: bucketAddress().optional(),
    description:
      'Bucket of an S3-compatible server for recordings, covers, samples, previews and uploads, `s3://bucket/prefix?endpoint=https://host&region=name`. An endpoint with `http:` is used without TLS. Several servers on one database need it. Not set: the data folder.',
  },
  filesAccessKey: {
    env: 'MYNAH_FILES_ACCESS_KEY',
    schema: secret().optional(),
    description: 'Access key for MYNAH_FILES_URL.',
  },
  filesSecretKey: {
    env: 'MYNAH_FILES_SECRET_KEY',
    schema: secret().optional(),
    description: 'Secret key for MYNAH_FILES_URL.',
  },
  filesCacheMaxBytes: {
    env: 'MYNAH_FILES_CACHE_MAX_BYTES',
    schema: integer(0, 1_099_511_627_776).default(1024 * 1024 * 1024),
    description:
      'Maximum size of the copies of files of MYNAH_FILES_URL in the data folder, in bytes. The least recently used are removed first.',
  },
  uploadsFolder: {
    env: 'MYNAH_UPLOADS',
    schema: folder().optional(),
    description: 'Folder for recordings that are being transcribed. Not set: `uploads` in the data folder.',
  },
  diskFreeMinMb: {
    env: 'MYNAH_DISK_FREE_MIN_MB',
    schema: integer(0, 1_000_000_000).default(500),
    description:
      '`mynah doctor` reports a problem when a disk with data or models has less free space than this, in megabytes.',
  },
} as const satisfies Readonly<Record<string, Setting>>;
