import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { lockDataFolder } from './data-folder-lock.ts';

const root = await mkdtemp(join(tmpdir(), 'mynah-lock-'));
after(() => rm(root, { recursive: true }));

test('a data folder has one server at a time', () => {
  const folder = join(root, 'new', 'data');
  const lock = lockDataFolder(folder);
  assert.throws(() => lockDataFolder(folder), {
    name: 'DatabaseOpenError',
    message: new RegExp(`process ${process.pid}`),
  });
  lockDataFolder(join(root, 'other')).release();
  lock.release();
  lockDataFolder(folder).release();
});

test('the lock of a killed server is taken over', async () => {
  const folder = join(root, 'killed');
  const module = new URL('./data-folder-lock.js', import.meta.url).href;
  const code = `(await import(${JSON.stringify(module)})).lockDataFolder(${JSON.stringify(folder)});
    console.log('locked'); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  assert.throws(() => lockDataFolder(folder), { message: new RegExp(`process ${child.pid}`) });
  child.kill('SIGKILL');
  await once(child, 'exit');
  lockDataFolder(folder).release();
});
