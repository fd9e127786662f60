import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns the path of a derived file; `make` writes it to the given path if it does not exist. */
export type DeriveFile = (name: string, make: (path: string) => Promise<void>) => Promise<string>;

/** The file beside a derived file with its SHA-256 in hex. */
const DIGEST_SUFFIX = '.sha256';

/**
 * Stores derived files in a folder. A file appears only when complete (written, then renamed), and a damaged one is
 * derived again; two processes that derive the same file concurrently both do the work, and one file remains.
 */
export function deriveInFolder(folder: string): DeriveFile {
  return async (name, make) => {
    const path = join(folder, name);
    if (await isValid(path)) return path;
    await mkdir(folder, { recursive: true });
    const unfinished = `${path}.${randomUUID()}.tmp`;
    try {
      await make(unfinished);
      await writeFile(path + DIGEST_SUFFIX, await digest(unfinished));
      await rename(unfinished, path);
    } finally {
      await rm(unfinished, { force: true });
    }
    return path;
  };
}

/**
 * Updates the modification time of a used folder below `root` and removes folders unused for longer than
 * `unusedMaxMs`. Removed files are derived again on demand, so several installations may share a root.
 */
export async function pruneDerived(root: string, usedName: string, unusedMaxMs: number): Promise<void> {
  const now = Date.now();
  await utimes(join(root, usedName), now / 1000, now / 1000);
  for (const name of await readdir(root)) {
    const folder = join(root, name);
    const { mtimeMs } = await stat(folder);
    if (now - mtimeMs > unusedMaxMs) await rm(folder, { recursive: true, force: true });
  }
}

async function isValid(path: string): Promise<boolean> {
  try {
    return (await readFile(path + DIGEST_SUFFIX, 'utf8')) === (await digest(path));
  } catch {
    return false;
  }
}

async function digest(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}
