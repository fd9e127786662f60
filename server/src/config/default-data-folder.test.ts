import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { defaultDataFolder } from './default-data-folder.ts';

test('the default data folder is that of the installation, for every working directory', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'mynah-default-'));
  t.after(() => rmSync(root, { recursive: true }));
  const env = { HOME: join(root, 'home') };
  const elsewhere = join(root, 'elsewhere');
  const clone = join(root, 'clone');
  const installed = join(root, 'node_modules/mynah');
  for (const folder of ['elsewhere/data', 'clone/scripts', 'clone/server', 'node_modules/mynah']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  writeFileSync(join(clone, 'scripts/start.mjs'), '');
  const from = (workingDirectory: string, packageRoot: string) =>
    defaultDataFolder(env, { workingDirectory, packageRoot });

  assert.equal(from(clone, join(clone, 'server')), join(clone, 'data'));
  assert.equal(from(elsewhere, join(clone, 'server')), join(clone, 'data'));
  assert.equal(from(elsewhere, installed), join(root, 'home/.local/share/mynah'));
  assert.equal(
    defaultDataFolder(
      { XDG_DATA_HOME: '/var/data' },
      { workingDirectory: elsewhere, packageRoot: installed },
    ),
    '/var/data/mynah',
  );
  writeFileSync(join(elsewhere, 'data/mynah.db'), '');
  assert.equal(from(elsewhere, installed), join(elsewhere, 'data'));
});
