import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isAlive, type RealServer, startRealServer, until } from '../support/servers/real-server.ts';

/** Minutes of speech, so that the stream is active when it is interrupted. */
const LONG_TEXT = 'The river carried the boat past the mill, the bridge and the sleeping town. '.repeat(400);

let server: RealServer;
before(async () => {
  server = await startRealServer({ env: { MYNAH_WORKERS: '2' } });
  await untilAllWorkersAreReady();
});
after(() => server.close());

/** A server is ready with its first worker. */
function untilAllWorkersAreReady(): Promise<void> {
  return until('all workers are ready', async () => (await server.health()).status === 'ok');
}

async function isIdle(): Promise<boolean> {
  const { workers } = await server.health();
  return workers.every((worker) => worker.active === 0);
}

async function killWorkers(): Promise<void> {
  for (const pid of await server.workerPids()) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
}

async function countRestarts(): Promise<number> {
  return (await server.health()).workers.reduce((sum, worker) => sum + worker.restarts, 0);
}

test('a worker killed before the first audio does not affect the response', async () => {
  const [worker] = await server.workerPids();
  // A stopped worker accepts requests without processing them; after the kill another worker processes them.
  process.kill(worker!, 'SIGSTOP');
  let served = 0;
  const responses = Array.from({ length: 4 }, async () => {
    const response = await server.speak({ text: 'This comes from another worker.', format: 'pcm' });
    const { byteLength } = await response.arrayBuffer();
    served++;
    return { status: response.status, isAudio: byteLength > 20_000 };
  });
  await until('only the stopped worker has requests', async () => {
    const active = (await server.health()).workers
      .map((status) => status.active)
      .filter((count) => count > 0);
    return active.length === 1 && served > 0 && served + active[0]! === responses.length;
  });
  // On a busy machine the supervisor may have ended the stopped worker before this check.
  if (isAlive(worker!)) process.kill(worker!, 'SIGKILL');
  for (const response of await Promise.all(responses)) {
    assert.deepEqual(response, { status: 200, isAudio: true });
  }
  await untilAllWorkersAreReady();
});

test('a worker killed during a stream aborts that stream, and the next request is served', async () => {
  const response = await server.speak({ text: LONG_TEXT, format: 'pcm' });
  assert.equal(response.status, 200);
  const reader = response.body!.getReader();
  await reader.read();

  const workers = (await server.workerPids()).length;
  const restarts = await countRestarts();
  await killWorkers();
  await assert.rejects(async () => {
    while (!(await reader.read()).done);
  }, 'an aborted stream must not look complete');
  await until('every loss is counted', async () => (await countRestarts()) >= restarts + workers);

  // On a busy machine the workers may be ready again before the check. Every further kill doubles the back-off.
  await until('health reports that no worker is ready', async () => {
    await killWorkers();
    const { status, ready } = await server.health();
    return status !== 'ok' && !ready;
  });
  const next = await server.speak({ text: 'Still here.', format: 'pcm' });
  assert.equal(next.status, 200);
  assert.ok((await next.arrayBuffer()).byteLength > 20_000);
  await untilAllWorkersAreReady();
});

test('when the client disconnects, its work stops', async () => {
  const abort = new AbortController();
  const response = await server.speak({ text: LONG_TEXT, format: 'pcm' }, { signal: abort.signal });
  await response.body!.getReader().read();
  assert.equal(await isIdle(), false);
  abort.abort();
  await until('the workers are idle', isIdle);
});

test('a client that does not read stops the engine by backpressure', async () => {
  const response = await server.speak({ text: LONG_TEXT, format: 'pcm' });
  const reader = response.body!.getReader();
  await reader.read();
  await until('the workers are idle', isIdle);
  await reader.cancel();
});

test('twenty simultaneous requests are all served concurrently', async () => {
  const startedAtMs = Date.now();
  const firstAudioMs: number[] = [];
  await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const text = `This is request ${index}. It has two sentences.`;
      const response = await server.speak({ text, format: 'pcm' });
      firstAudioMs.push(Date.now() - startedAtMs);
      assert.equal(response.status, 200);
      assert.ok((await response.arrayBuffer()).byteLength > 100_000);
    }),
  );
  const totalMs = Date.now() - startedAtMs;
  firstAudioMs.sort((a, b) => a - b);
  // With sequential processing the last first audio would be close to the end.
  assert.ok(firstAudioMs.at(-1)! < totalMs, `${firstAudioMs.join(' ')} of ${totalMs}`);
});

// The last test: it ends the server.
test('the workers exit when the server is killed', async () => {
  const pids = await server.workerPids();
  assert.ok(pids.length > 0);
  server.process.kill('SIGKILL');
  await until('the workers have exited', () => pids.every((pid) => !isAlive(pid)));
});
