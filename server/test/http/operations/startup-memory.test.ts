import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const MAIN = fileURLToPath(new URL('../../support/servers/record-formatters-main.js', import.meta.url));

// Locale data that a formatter needs stays in memory: 4 MB for names of languages alone.
test('neither the start nor English speech creates an Intl formatter', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN], { timeout: 60_000 });
  assert.deepEqual(JSON.parse(stdout), { status: 200, bySpeech: [], all: ['DisplayNames'] });
});
