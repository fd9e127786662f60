import { z } from 'zod';
import { BackupError } from './backup-error.ts';

/** Version of the archive format. */
export const FORMAT = 1;
export const MANIFEST_NAME = 'manifest.json';
export const SQLITE_NAME = 'database/mynah.db';
export const POSTGRES_NAME = 'database/postgres.dump';
/** Prefix of the files of the data folder. */
export const DATA_PREFIX = 'data/';

/** Maximum number of files in a backup. */
export const FILES_MAX = 1_000_000;
/** Maximum size of a manifest: 256 bytes for each of the files. */
export const MANIFEST_BYTES_MAX = 256 * FILES_MAX;
const NAME_LENGTH_MAX = 1024;

/** Relative, in normal form, and without a way out of its folder. */
const SAFE_NAME = /^(?!.*(?:^|\/)\.{0,2}(?:\/|$))[^\0\\]+$/;

/** Whether a name in an archive can be used as a path below a folder. */
export function isSafeName(name: string): boolean {
  return name.length <= NAME_LENGTH_MAX && SAFE_NAME.test(name);
}

const ManifestFileSchema = z.object({
  name: z.string().refine(isSafeName),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const ManifestSchema = z.object({
  format: z.int().min(1),
  /** Version of the program that wrote the backup. */
  version: z.string().max(100),
  createdAt: z.string().max(40),
  database: z.object({
    kind: z.enum(['sqlite', 'postgres']),
    /** Names of the applied migrations, in order; the last is the version of the schema. */
    migrations: z.array(z.string().max(255)).min(1).max(10_000),
  }),
  /** Names of files with secrets in plain text. The database holds hashes of keys and further secrets. */
  secrets: z.array(z.string().max(NAME_LENGTH_MAX)).max(10),
  files: z.array(ManifestFileSchema).min(1).max(FILES_MAX),
});

/** One file of a backup. */
export type ManifestFile = z.output<typeof ManifestFileSchema>;
/** The content of a backup. It is the last entry of the archive, because it has the hashes of all others. */
export type Manifest = z.output<typeof ManifestSchema>;

/** Throws a `BackupError` when the text is not a manifest that this version can read. */
export function parseManifest(text: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new BackupError('backup_broken', 'The manifest of the backup is not valid JSON.', { cause: error });
  }
  const { format } = (value ?? {}) as { format?: unknown };
  if (typeof format === 'number' && format > FORMAT) {
    throw new BackupError(
      'backup_newer',
      'The backup was made by a newer version of Mynah; use that version.',
    );
  }
  const parsed = ManifestSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new BackupError('backup_broken', 'The manifest of the backup is not valid.', { cause: parsed.error });
}
