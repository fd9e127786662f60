import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { FolderFileStore } from './folder-file-store.ts';

async function withFiles(work: (files: FolderFileStore, folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'mynah-files-'));
  try {
    await work(new FolderFileStore(folder), folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('a file is read as it was written, and removing a folder removes its files', () =>
  withFiles(async (files, folder) => {
    await files.write('voices/a1/sample-0', Buffer.from('one'));
    await files.write('voices/a1/sample-0', Buffer.from('two'));
    await files.write('voices/a1/cover', Buffer.from('three'));
    assert.equal(Buffer.from((await files.read('voices/a1/sample-0')) ?? []).toString(), 'two');
    assert.deepEqual((await readdir(join(folder, 'voices/a1'))).sort(), ['cover', 'sample-0']);
    await files.remove('voices/a1');
    assert.equal(await files.read('voices/a1/cover'), undefined);
    await files.remove('voices/a1');
    assert.deepEqual(await readdir(join(folder, 'voices')), []);
  }));

test('a name outside of the folder is refused', () =>
  withFiles(async (files) => {
    for (const name of ['../x', 'a/../../x', '/etc/passwd', 'a//b', '', '.', 'a/.', 'a\0b']) {
      await assert.rejects(files.read(name), RangeError, name);
    }
  }));
