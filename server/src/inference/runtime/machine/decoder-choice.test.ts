import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { chooseDecoder } from './decoder-choice.ts';

test('a server that never uses the stock decoder does not measure it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mynah-decoder-'));
  try {
    // Without models a measurement fails.
    const settings = { modelsRoot: folder, assetsRoot: folder, threads: 1 };
    const options = { settings, startTimeoutMs: 60_000, realTimeFactorMax: 0, cacheFolder: folder };
    assert.deepEqual(await chooseDecoder(options), { engine: 'kokoro-fast' });
    assert.deepEqual(await readdir(folder), []);
  } finally {
    await rm(folder, { recursive: true });
  }
});
