import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createFolder, createFolderSync } from './create-folder.ts';

const VARIANTS = [
  ['asynchronous', createFolder],
  ['synchronous', async (path: string, mode?: number) => createFolderSync(path, mode)],
] as const;

for (const [name, create] of VARIANTS) {
  const inFolder = (title: string, run: (folder: string) => Promise<void>) =>
    test(`${name}: ${title}`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'mynah-folder-'));
      try {
        await run(folder);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });

  inFolder('creates missing parents with the mode, and accepts an existing folder', async (folder) => {
    const path = join(folder, 'a', 'b');
    await create(path, 0o700);
    await create(path, 0o755);
    assert.equal(statSync(path).mode & 0o777, 0o700);
    assert.equal(statSync(join(folder, 'a')).mode & 0o777, 0o700);
  });

  inFolder('a folder that others create at the same time is no error', async (folder) => {
    const path = join(folder, 'a', 'b', 'c');
    await Promise.all([create(path), create(path), create(join(folder, 'a', 'b', 'd'))]);
    assert.ok(existsSync(path));
  });

  inFolder('a file in the path, and a link to nothing, are errors of the system', async (folder) => {
    writeFileSync(join(folder, 'file'), '');
    symlinkSync(join(folder, 'nothing', 'here'), join(folder, 'link'));
    await assert.rejects(create(join(folder, 'file')), { code: 'ENOTDIR', syscall: 'mkdir' });
    await assert.rejects(create(join(folder, 'file', 'a')), { code: 'ENOTDIR', syscall: 'mkdir' });
    await assert.rejects(create(join(folder, 'link')), { code: 'EEXIST' });
  });

  test(`${name}: a file system that refuses folders with ENOENT ends with an error`, async (context) => {
    if (!existsSync('/proc/self')) return context.skip('There is no /proc here.');
    for (const path of ['/proc/mynah', '/proc/mynah/data']) {
      await assert.rejects(create(path, 0o700), { code: 'ENOTSUP', path: '/proc/mynah' });
    }
  });
}
