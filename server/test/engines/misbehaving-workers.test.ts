import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { OnDemandPool } from '../../src/inference/runtime/process/on-demand-pool.ts';
import type { MisbehavingJob } from '../support/misbehaving-worker-main.ts';
import { until } from '../support/real-server.ts';

const KIND = {
  entry: fileURLToPath(new URL('../support/misbehaving-worker-main.js', import.meta.url)),
  niceness: 0,
  displayName: 'misbehaving worker',
};
const QUICK = {
  memoryMaxBytes: 2 ** 40,
  pingEveryMs: 50,
  pingTimeoutMs: 300,
  backOffMinMs: 10,
  backOffMaxMs: 20,
};
const folder = await mkdtemp(join(tmpdir(), 'mynah-unruly-'));
after(() => rm(folder, { recursive: true }));

async function withPool(
  work: (ask: (job: MisbehavingJob, signal?: AbortSignal) => Promise<number>) => Promise<void>,
  { firstHangsBy = '', startTimeoutMs = 20_000 } = {},
): Promise<void> {
  const pool = new OnDemandPool<MisbehavingJob, number>(KIND, {
    count: 1,
    settings: { modelsRoot: firstHangsBy, assetsRoot: '', threads: 1 },
    policy: { ...QUICK, startTimeoutMs },
    waitForWorkerMs: 30_000,
    idleMs: 0,
    prepare: async () => {},
    onEvent: () => {},
  });
  try {
    await work(async (job, signal = new AbortController().signal) => {
      for await (const pid of pool.run(job, { signal })) return pid;
      throw new Error('It said nothing.');
    });
  } finally {
    await pool.close();
  }
}

test('a job that dies with its process is answered, and the next one gets another process', () =>
  withPool(async (ask) => {
    const pid = await ask('answer');
    await assert.rejects(ask('die'), { code: 'engine_failed' });
    assert.notEqual(await ask('answer'), pid);
  }));

test('a process that blocks is killed, and what it was asked for is answered', () =>
  withPool(async (ask) => {
    await assert.rejects(ask('block'), { code: 'engine_failed' });
    await ask('answer');
  }));

test('a process that does not let go of a job that was called off is replaced', () =>
  withPool(async (ask) => {
    const pid = await ask('answer');
    const left = AbortSignal.timeout(50);
    await assert.rejects(ask('hang', left), { name: 'TimeoutError' });
    assert.equal(await ask('answer'), pid);
    await until('another process answers', async () => (await ask('answer').catch(() => pid)) !== pid);
  }));

test('a process that starts and is never ready is replaced', () =>
  withPool(async (ask) => assert.ok((await ask('answer')) > 0), {
    firstHangsBy: join(folder, 'first'),
    startTimeoutMs: 1500,
  }));
