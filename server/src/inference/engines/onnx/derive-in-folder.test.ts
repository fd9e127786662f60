import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { deriveInFolder, pruneDerived } from './derive-in-folder.ts';

const root = await mkdtemp(join(tmpdir(), 'mynah-derived-'));
after(() => rm(root, { recursive: true }));

const derive = (folder: string) =>
  deriveInFolder(join(root, folder))('graph', (path) => writeFile(path, folder));
const agedBy = (folder: string, seconds: number) => {
  const then = Date.now() / 1000 - seconds;
  return utimes(join(root, folder), then, then);
};

test('a file is derived once, and unused folders are removed when another folder is used', async () => {
  const path = await derive('voice-1');
  assert.equal(await deriveInFolder(join(root, 'voice-1'))('graph', assert.fail), path);
  for (const folder of ['voice-2', 'other', 'gone']) await derive(folder);
  await agedBy('voice-1', 3600);
  await agedBy('other', 50);
  await agedBy('gone', 150);
  await agedBy('voice-2', 200);
  // Marked as used, so its age does not count.
  await pruneDerived(root, 'voice-2', 100_000);
  assert.deepEqual((await readdir(root)).sort(), ['other', 'voice-2']);
  assert.equal(await readFile(await derive('voice-1'), 'utf8'), 'voice-1');
});

test('a damaged file is derived again', async () => {
  const path = await derive('damaged');
  await writeFile(path, 'damages');
  assert.equal(await readFile(await derive('damaged'), 'utf8'), 'damaged');
});

test('a missing root is reported as ENOENT', async () => {
  await assert.rejects(pruneDerived(join(root, 'nowhere'), 'voice', 1000), { code: 'ENOENT' });
});
