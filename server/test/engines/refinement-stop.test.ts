import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { cpuSecondsOf } from '../../bench/processes/processes.ts';
import { startSingleServer, until } from '../support/servers/single-server.ts';

const RECORDED =
  'My sister moved to the coast three years ago, and we have not met since. She writes a long letter every winter.';

test('a server that stops during a refinement ends without an error', async () => {
  const server = await startSingleServer();
  try {
    const headers = { authorization: `Bearer ${server.key}` };
    const recording = await server.speak({ text: RECORDED, reference_id: 'am_michael', format: 'wav' });
    const body = new FormData();
    for (const [name, value] of Object.entries({ title: 'Michael', train_mode: 'full' }))
      body.set(name, value);
    body.set('voices', await recording.blob(), 'michael.wav');
    const created = await fetch(`${server.url}/model`, { method: 'POST', headers, body });
    assert.equal(created.status, 201);
    // A refinement computes without a pause until its end, tens of seconds later.
    const [worker] = (await server.workerPids()).filter(isCloningWorker);
    const before = cpuSecondsOf(worker!);
    await until('the refinement computes', () => cpuSecondsOf(worker!) > before + 2);
  } finally {
    await server.close();
  }
  assert.doesNotMatch(server.output(), /terminate called|Napi/);
});

function isCloningWorker(pid: number): boolean {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('cloning-main');
}
