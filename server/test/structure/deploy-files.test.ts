import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { VERSION } from '../../src/config/package-info.ts';
import { SETTINGS } from '../../src/config/settings.ts';

const DEPLOY = fileURLToPath(new URL('../../../../deploy/', import.meta.url));

test('every setting that the files for deployment use exists', async () => {
  const known = new Set<string>(Object.values(SETTINGS).map(({ env }) => env));
  const entries = await readdir(DEPLOY, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  assert.ok(files.length > 15);
  let count = 0;
  for (const file of files) {
    for (const [name] of (await readFile(file, 'utf8')).matchAll(/\bMYNAH_[A-Z_]+\b/g)) {
      assert.ok(known.has(name), `${file} uses ${name}`);
      count++;
    }
  }
  assert.ok(count > 30);
});

test('the Helm chart has the version of the server', async () => {
  const chart = await readFile(join(DEPLOY, 'helm/mynah/Chart.yaml'), 'utf8');
  assert.equal(/^version: (.*)$/m.exec(chart)?.[1], VERSION);
  assert.equal(/^appVersion: (.*)$/m.exec(chart)?.[1], VERSION);
});
