import { randomUUID } from 'node:crypto';
import { access, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';

/** The path of a file that is made once: `make` writes it to the path it is given. */
export type DeriveFile = (name: string, make: (path: string) => Promise<void>) => Promise<string>;

/**
 * Keeps derived files in a folder of its own. A file is visible only when it is whole; two processes that
 * make the same file at once do the work twice and end with one good file.
 */
export function deriveInFolder(folder: string): DeriveFile {
  return async (name, make) => {
    const path = join(folder, name);
    if (await exists(path)) return path;
    await mkdir(folder, { recursive: true });
    const unfinished = `${path}.${randomUUID()}.tmp`;
    try {
      await make(unfinished);
      await rename(unfinished, path);
    } finally {
      await rm(unfinished, { force: true });
    }
    return path;
  };
}

/**
 * Notes that one of the folders below a root is in use, and removes those that were not for so long. What is removed
 * too early is only made again, so that several installations may share a root.
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

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
