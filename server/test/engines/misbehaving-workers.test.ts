import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { WorkerLostError } from '../../src/domain/engines/worker-lost-error.ts';
import { OnDemandPool } from '../../src/inference/runtime/process/on-demand-pool.ts';
import { until } from '../support/servers/real-server.ts';
import type { MisbehavingJob } from '../support/workers/misbehaving-worker-main.ts';

const KIND = {
  entry: fileURLToPath(new URL('../support/workers/misbehaving-worker-main.js', import.meta.url)),
  niceness: 0,
  displayName: 'misbehaving worker',
};
const QUICK = {
  memoryMaxBytes: 2 ** 40,
  pingEveryMs: 50,
  // Long enough for a response of a healthy worker on a busy machine.
  pingTimeoutMs: 2000,
  stepTimeoutMs: 2000,
  backOffMinMs: 10,
  backOffMaxMs: 20,
};
const folder = await mkdtemp(join(tmpdir(), 'mynah-misbehaving-'));
after(() => rm(folder, { recursive: true }));

/** Runs a job and returns the process id of its worker. */
type RunJob = (job: MisbehavingJob, signal?: AbortSignal) => Promise<number>;

async function withPool(
  work: (run: RunJob, pool: OnDemandPool<MisbehavingJob, number>) => Promise<void>,
  { firstHangsBy = '', startTimeoutMs = 20_000, policy = {} } = {},
): Promise<void> {
  const pool = new OnDemandPool<MisbehavingJob, number>(KIND, {
    count: 1,
    settings: { modelsRoot: firstHangsBy, assetsRoot: '', threads: 1 },
    policy: { ...QUICK, ...policy, startTimeoutMs },
    waitForWorkerMs: 30_000,
    idleMs: 0,
    prepare: async () => {},
    onEvent: () => {},
  });
  try {
    await work(async (job, signal = new AbortController().signal) => {
      for await (const pid of pool.run(job, { signal })) return pid;
      throw new Error('The job sent no event.');
    }, pool);
  } finally {
    await pool.close();
  }
}

/** Whether an error is the loss of a worker. */
function isLost({ isSuspect }: { readonly isSuspect: boolean }) {
  return (error: Error) => error.cause instanceof WorkerLostError && error.cause.isSuspect === isSuspect;
}

test('a job whose process dies fails, and the next one runs in another process', () =>
  withPool(async (run) => {
    const pid = await run('answer');
    await assert.rejects(run('die'), { code: 'engine_failed' });
    assert.notEqual(await run('answer'), pid);
  }));

test('a process that blocks is killed, and its job fails', () =>
  withPool(async (run) => {
    await assert.rejects(run('block'), { code: 'engine_failed' });
    await run('answer');
  }));

test('a process that does not stop a cancelled job is replaced', () =>
  withPool(async (run, pool) => {
    const controller = new AbortController();
    const events = pool.run('hang', { signal: controller.signal })[Symbol.asyncIterator]();
    const { value: pid } = await events.next();
    controller.abort();
    await assert.rejects(events.next(), { name: 'AbortError' });
    assert.equal(await run('answer'), pid);
    await until('another process responds', async () => (await run('answer').catch(() => pid)) !== pid);
  }));

test('a job that kills its process within a step is the suspect, other jobs are not', () =>
  withPool(async (run, pool) => {
    const bystander = pool.run('hang', { signal: new AbortController().signal })[Symbol.asyncIterator]();
    await bystander.next();
    await assert.rejects(run('step-die'), isLost({ isSuspect: true }));
    await assert.rejects(async () => bystander.next(), isLost({ isSuspect: false }));
  }));

for (const job of ['step-block', 'step-hang'] as const) {
  test(`a process whose step never ends is killed, and its job is the suspect: ${job}`, () =>
    withPool(async (run, pool) => {
      const events = pool.run(job, { signal: new AbortController().signal });
      await assert.rejects(
        async () => {
          for await (const _ of events);
        },
        isLost({ isSuspect: true }),
      );
      await run('answer');
    }));
}

test('a healthy process survives a pause of the event loop of its supervisor', () =>
  withPool(
    async (run, pool) => {
      const pid = await run('answer');
      for (let pause = 0; pause < 2; pause++) {
        // Between two pings, so that one of them waits for its response during the pause.
        await sleep(30);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2000);
      }
      await sleep(100);
      assert.equal(await run('answer'), pid);
      assert.equal(pool.status()[0]?.restarts, 0);
    },
    { policy: { pingEveryMs: 10, pingTimeoutMs: 1000 } },
  ));

test('a process that never becomes ready is replaced', () =>
  withPool(async (run) => assert.ok((await run('answer')) > 0), {
    firstHangsBy: join(folder, 'first'),
    startTimeoutMs: 5000,
  }));

test('a worker process gets no settings of the server', { skip: process.platform !== 'linux' }, async () => {
  process.env.MYNAH_DATABASE_URL = 'postgres://user:password@host/name';
  try {
    await withPool(async (run) => {
      const environment = await readFile(`/proc/${await run('answer')}/environ`, 'utf8');
      assert.match(environment, /(^|\0)PATH=/);
      assert.doesNotMatch(environment, /MYNAH|password/);
    });
  } finally {
    delete process.env.MYNAH_DATABASE_URL;
  }
});
