import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';
import { chooseDecoder, findDecoderChoice } from './decoder-choice.ts';
import { loadOrMeasure } from './measurement-cache.ts';

test('a server that never uses the stock decoder does not measure it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mynah-decoder-'));
  try {
    // Without models a measurement fails.
    const settings = { modelsRoot: folder, assetsRoot: folder, threads: 1 };
    const options = { settings, startTimeoutMs: 60_000, realTimeFactorMax: 0, cacheFolder: folder };
    assert.deepEqual(await findDecoderChoice(options), { engine: 'kokoro-fast' });
    assert.deepEqual(await chooseDecoder(options), { engine: 'kokoro-fast' });
    assert.deepEqual(await readdir(folder), []);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a start knows the choice of an earlier one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mynah-decoder-'));
  try {
    const settings = { modelsRoot: folder, assetsRoot: folder, threads: 1 };
    const options = { settings, startTimeoutMs: 60_000, realTimeFactorMax: 0.7, cacheFolder: folder };
    assert.equal(await findDecoderChoice(options), undefined);
    const schema = z.object({ stockRealTimeFactor: z.number() });
    await loadOrMeasure({ folder, conditions: [1], schema }, async () => ({
      stockRealTimeFactor: 0.5,
    }));
    assert.deepEqual(await findDecoderChoice(options), { engine: 'kokoro-stock', stockRealTimeFactor: 0.5 });
    assert.deepEqual(await findDecoderChoice({ ...options, realTimeFactorMax: 0.4 }), {
      engine: 'kokoro-fast',
      stockRealTimeFactor: 0.5,
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});
