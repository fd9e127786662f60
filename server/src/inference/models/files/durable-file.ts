import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Moves a finished file to its final path atomically and durably: readers see the old state or the complete file,
 * also after a power failure.
 */
export async function moveIntoPlace(finishedPath: string, finalPath: string): Promise<void> {
  const folder = dirname(finalPath);
  await mkdir(folder, { recursive: true });
  await syncPath(finishedPath);
  await rename(finishedPath, finalPath);
  await syncPath(folder);
}

/** Writes a small file atomically and durably. */
export async function writeFileDurably(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporaryPath = `${path}.${randomUUID()}.tmp`;
  try {
    const handle = await open(temporaryPath, 'wx');
    try {
      await handle.writeFile(content);
    } finally {
      await handle.close();
    }
    await moveIntoPlace(temporaryPath, path);
  } finally {
    await rm(temporaryPath, { force: true });
  }
}
