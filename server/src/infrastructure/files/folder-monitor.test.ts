import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { FolderMonitor } from './folder-monitor.ts';

test('a folder that cannot be written is reported once, and so is its recovery', async () => {
  const root = await mkdtemp(join(tmpdir(), 'mynah-monitor-'));
  const problems: (string | undefined)[] = [];
  const folder = join(root, 'data');
  const monitor = new FolderMonitor([root, folder], (problem) => problems.push(problem));
  try {
    await writeFile(folder, 'a file');
    await monitor.check();
    await monitor.check();
    assert.equal(monitor.isWritable, false);
    assert.deepEqual(problems.length, 1);
    assert.ok(problems[0]?.includes(folder));
    await rm(folder);
    await monitor.check();
    await monitor.check();
    assert.equal(monitor.isWritable, true);
    assert.deepEqual(problems.slice(1), [undefined]);
    assert.deepEqual(await readdir(root), ['data']);
    assert.deepEqual(await readdir(folder), []);
  } finally {
    monitor.close();
    await rm(root, { recursive: true });
  }
});
