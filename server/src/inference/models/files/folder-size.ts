import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The total size of all files in a folder; 0 when it does not exist. Files may change concurrently. */
export async function folderSizeBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  let totalBytes = 0;
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    totalBytes += await stat(join(entry.parentPath, entry.name)).then(
      ({ size }) => size,
      () => 0,
    );
  }
  return totalBytes;
}
