import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isAlive, type RealServer, startRealServer, until } from '../support/real-server.ts';

/** Speaks for minutes, so that there is a middle to break. */
const LONG_TEXT = 'The river carried the boat past the mill, the bridge and the sleeping town. '.repeat(400);

let server: RealServer;
before(async () => {
  server = await startRealServer();
});
after(() => server.close());

async function isIdle(): Promise<boolean> {
  const { workers } = await server.health();
  return workers.every((worker) => worker.active === 0);
}

test('a worker killed in mid-stream cuts that stream, and the next request is served', async () => {
  const response = await server.speak({ text: LONG_TEXT, format: 'pcm' });
  assert.equal(response.status, 200);
  const reader = response.body!.getReader();
  await reader.read();

  const before = await server.workerPids();
  for (const pid of before) process.kill(pid, 'SIGKILL');
  await assert.rejects(async () => {
    while (!(await reader.read()).done);
  }, 'a stream that was cut must not look complete');

  const { status, ready } = await server.health();
  assert.notEqual(status, 'ok');
  const next = await server.speak({ text: 'Still here.', format: 'pcm' });
  assert.equal(next.status, 200);
  assert.ok((await next.arrayBuffer()).byteLength > 20_000);
  await until('all workers are back', async () => (await server.health()).status === 'ok');
  assert.equal(ready, false);
});

test('a worker killed before the first audio is not noticed by the client', async () => {
  const single = await startRealServer({ env: { MYNAH_WORKERS: '1' } });
  try {
    const [worker] = await single.workerPids();
    // Stopped, it takes the request and cannot answer; killed, it leaves the request to its successor.
    process.kill(worker!, 'SIGSTOP');
    const answer = single.speak({ text: 'This comes from another worker.', format: 'pcm' });
    await until('the worker has the request', async () => (await single.health()).workers[0]!.active > 0);
    process.kill(worker!, 'SIGKILL');
    const response = await answer;
    assert.equal(response.status, 200);
    assert.ok((await response.arrayBuffer()).byteLength > 20_000);
  } finally {
    await single.close();
  }
});

test('when the client leaves, the work for it stops', async () => {
  const abort = new AbortController();
  const response = await server.speak({ text: LONG_TEXT, format: 'pcm' }, { signal: abort.signal });
  await response.body!.getReader().read();
  assert.equal(await isIdle(), false);
  abort.abort();
  await until('the workers are idle', isIdle, 5000);
});

test('a client that reads slowly holds back the engine instead of filling the memory', async () => {
  const response = await server.speak({ text: LONG_TEXT, format: 'pcm' });
  const reader = response.body!.getReader();
  await reader.read();
  await until('the workers wait for the reader', isIdle);
  await reader.cancel();
});

test('twenty requests at once are all answered, and none waits for all the others', async () => {
  const startedAtMs = Date.now();
  const firstAudioMs: number[] = [];
  await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const text = `This is request number ${index}. It has two sentences, so that there is something to wait for.`;
      const response = await server.speak({ text, format: 'pcm' });
      firstAudioMs.push(Date.now() - startedAtMs);
      assert.equal(response.status, 200);
      assert.ok((await response.arrayBuffer()).byteLength > 100_000);
    }),
  );
  const totalMs = Date.now() - startedAtMs;
  firstAudioMs.sort((a, b) => a - b);
  // Served one after the other, the last would hear its first audio near the very end.
  assert.ok(firstAudioMs.at(-1)! < totalMs, `${firstAudioMs.join(' ')} of ${totalMs}`);
});

test('a server that is killed leaves no worker behind', async () => {
  const doomed = await startRealServer();
  const pids = await doomed.workerPids();
  assert.ok(pids.length > 0);
  doomed.process.kill('SIGKILL');
  await until('the workers are gone', () => pids.every((pid) => !isAlive(pid)));
  await doomed.close();
});
