import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { identifyThisProcess } from '../../concurrency/process-identity.ts';
import { UploadFolder } from './upload-folder.ts';

async function withFolder(work: (root: string) => Promise<void>): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'mynah-uploads-'));
  try {
    await work(root);
  } finally {
    await rm(root, { recursive: true });
  }
}

test('an upload is removed or stored, and a stored upload outlives the process', () =>
  withFolder(async (root) => {
    const folder = await UploadFolder.open(root);
    const [removed, stored, left] = [await folder.create(), await folder.create(), await folder.create()];
    for (const { path } of [removed, stored, left]) await writeFile(path, 'audio');
    await removed.remove();
    await stored.store('job');
    await stored.remove();
    await folder.close();
    assert.deepEqual(await readdir(root), ['kept']);

    const again = await UploadFolder.open(root);
    assert.deepEqual(
      (await again.listStored()).map(({ name }) => name),
      ['job'],
    );
    await again.discard('job');
    await again.discard('job');
    assert.deepEqual(await again.listStored(), []);
  }));

test('uploads of a crashed process are removed at the next start, those of other processes are not', () =>
  withFolder(async (root) => {
    const { scope } = await identifyThisProcess();
    const encode = (text: string) => Buffer.from(text).toString('base64url');
    // The first process does not exist; the second belongs to another machine, whose processes cannot be checked.
    const dead = `process.4194304.1.${encode(scope)}`;
    const elsewhere = `process.4194304.1.${encode(`not-${hostname()}`)}`;
    for (const name of [dead, elsewhere]) {
      await mkdir(join(root, name));
      await writeFile(join(root, name, 'recording'), 'audio');
    }
    const living = await UploadFolder.open(root);
    const upload = await living.create();
    await writeFile(upload.path, 'audio');
    await UploadFolder.open(root);
    const names = await readdir(root, { recursive: true });
    assert.ok(!names.includes(dead));
    assert.ok(names.includes(join(elsewhere, 'recording')));
    assert.ok(names.some((name) => upload.path.endsWith(name)));
  }));
