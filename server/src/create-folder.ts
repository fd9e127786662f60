import { mkdirSync, type Stats, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Creates a folder and its missing parents; returns when it exists. Replaces the recursive `mkdir` of Node, which never
 * returns on a file system that refuses a folder with ENOENT, such as /proc. Throws an error with a code of the system.
 */
export async function createFolder(path: string, mode = 0o777): Promise<void> {
  const missing: string[] = [];
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    const found = await stat(folder).catch(() => undefined);
    if (isEnd(folder, found)) break;
    missing.push(folder);
  }
  for (const folder of missing.reverse()) {
    try {
      await mkdir(folder, { mode });
    } catch (error) {
      const found = await stat(folder).catch(() => undefined);
      if (!found?.isDirectory()) throw describe(error, folder);
    }
  }
}

/** `createFolder` for the start of a process. */
export function createFolderSync(path: string, mode = 0o777): void {
  const missing: string[] = [];
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    if (isEnd(folder, statSyncIfPossible(folder))) break;
    missing.push(folder);
  }
  for (const folder of missing.reverse()) {
    try {
      mkdirSync(folder, { mode });
    } catch (error) {
      if (!statSyncIfPossible(folder)?.isDirectory()) throw describe(error, folder);
    }
  }
}

/** Whether the parents of this path need no creation. Throws for a file. */
function isEnd(path: string, found: Stats | undefined): boolean {
  if (found === undefined) return path === dirname(path);
  if (!found.isDirectory()) throw createError('ENOTDIR', 'not a directory', path);
  return true;
}

function statSyncIfPossible(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** The parent exists, so that ENOENT means that its file system does not allow new folders. */
function describe(error: unknown, path: string): unknown {
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
    ? createError('ENOTSUP', 'operation not supported', path)
    : error;
}

function createError(code: string, text: string, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${text}, mkdir '${path}'`), { code, syscall: 'mkdir', path });
}
