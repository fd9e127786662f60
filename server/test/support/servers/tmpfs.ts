import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A small file system in memory, for faults of a disk. */
export interface SmallDisk {
  readonly folder: string;
  /** Fills it up; `free` deletes the filling. */
  fill(): void;
  free(): void;
  setReadOnly(): void;
  remove(): void;
}

/** Undefined where this process may not mount file systems. */
export function mountTmpfs(sizeBytes: number): SmallDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'mynah-disk-'));
  const mount = (...args: string[]) => spawnSync('mount', args).status === 0;
  if (!mount('-t', 'tmpfs', '-o', `size=${sizeBytes},mode=0700`, 'tmpfs', folder)) {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  const filling = join(folder, 'filling');
  return {
    folder,
    fill() {
      const file = openSync(filling, 'a');
      try {
        for (const block of [Buffer.alloc(4096), Buffer.alloc(1)]) for (;;) writeSync(file, block);
      } catch {
        // The disk is full.
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(filling, { force: true }),
    setReadOnly() {
      if (!mount('-o', 'remount,ro', folder)) throw new Error('The file system cannot be made read-only.');
    },
    remove() {
      spawnSync('umount', ['--lazy', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
