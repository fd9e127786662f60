import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startHubServer } from '../../../../test/support/models/hub-server.ts';
import type { StoreProcessTask } from '../../../../test/support/models/store-process.ts';
import { makeTemporaryFolder } from '../../../../test/support/models/temporary-folder.ts';
import {
  makeBytes,
  makeCatalogue,
  makeModel,
  pinnedFile,
} from '../../../../test/support/models/test-catalogue.ts';
import { createHubSource } from '../sources/hub-source.ts';
import { createModelStore } from './model-store.ts';

const scriptExtension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const script = fileURLToPath(
  new URL(`../../../../test/support/models/store-process.${scriptExtension}`, import.meta.url),
);

function startStoreProcess(task: StoreProcessTask): { child: ChildProcess; output: () => string } {
  const child = spawn(process.execPath, [script, JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  return { child, output: () => output };
}

async function until(condition: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + 10_000;
  while (!condition()) {
    assert.ok(performance.now() < deadlineMs, 'waited too long');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const small = makeBytes(10_000, 2);
const large = makeBytes(400_000);
const hub = (path: string) => ({ hub: { repository: 'o/r', path } });
const files = [
  pinnedFile('small.bin', small, hub('small.bin')),
  pinnedFile('large.bin', large, hub('large.bin')),
];
const smallUrl = '/o/r/resolve/main/small.bin';
const largeUrl = '/o/r/resolve/main/large.bin';

test('after a kill during a download the next ensure resumes it and leaves no temporary files', async (t) => {
  const root = await makeTemporaryFolder(t);
  const throttle = { chunkBytes: 20_000, pauseMs: 200 };
  const { url, requests } = await startHubServer(t, {
    [smallUrl]: { content: small },
    [largeUrl]: { content: large, throttle },
  });
  const { child, output } = startStoreProcess({ root, hubUrl: url, modelId: 'm', files });
  await until(() => output().split('fetching').length > 4);
  child.kill('SIGKILL');
  await once(child, 'close');
  throttle.pauseMs = 0;

  const store = createModelStore({
    root,
    sources: [createHubSource({ baseUrl: url })],
    catalogue: makeCatalogue(makeModel('m', files)),
  });
  assert.equal(await store.find('m'), undefined);
  const installed = await store.ensure('m');
  assert.ok((await readFile(installed.file('large.bin'))).equals(large));
  assert.equal(requests.filter((request) => request.includes('small.bin')).length, 1);
  assert.match(requests.at(-1) ?? '', /large\.bin bytes=[1-9]\d+-$/);
  assert.deepEqual((await readdir(root)).sort(), ['.incoming', 'm']);
  assert.deepEqual(await readdir(join(root, '.incoming')), []);
});

test('several processes that need the same model download it once', async (t) => {
  const root = await makeTemporaryFolder(t);
  const throttle = { chunkBytes: 20_000, pauseMs: 500 };
  const { url, requests } = await startHubServer(t, {
    [smallUrl]: { content: small },
    [largeUrl]: { content: large, throttle },
  });
  const processes = [1, 2, 3].map(() => startStoreProcess({ root, hubUrl: url, modelId: 'm', files }));
  await until(() => processes.filter(({ output }) => output().includes('waiting')).length === 2);
  throttle.pauseMs = 0;
  const exits = await Promise.all(processes.map(({ child }) => once(child, 'close')));
  assert.deepEqual(
    exits.map(([code]) => code),
    [0, 0, 0],
  );
  assert.deepEqual(requests, [`GET ${smallUrl}`, `GET ${largeUrl}`]);
  const outputs = processes.map(({ output }) => output());
  assert.ok(outputs.every((output) => output.includes(`done ${join(root, 'm')}`)));
  assert.equal(outputs.filter((output) => output.includes('fetching')).length, 1);
  assert.equal(outputs.filter((output) => output.includes('waiting')).length, 2);
});

test('when the installing process is killed, a waiting process takes over', async (t) => {
  const root = await makeTemporaryFolder(t);
  const throttle = { chunkBytes: 20_000, pauseMs: 500 };
  const { url } = await startHubServer(t, {
    [smallUrl]: { content: small },
    [largeUrl]: { content: large, throttle },
  });
  const first = startStoreProcess({ root, hubUrl: url, modelId: 'm', files });
  await until(() => first.output().includes('fetching'));
  const second = startStoreProcess({ root, hubUrl: url, modelId: 'm', files });
  await until(() => second.output().includes('waiting'));
  throttle.pauseMs = 0;
  first.child.kill('SIGKILL');
  const [exitCode] = await once(second.child, 'close');
  assert.equal(exitCode, 0);
  assert.match(second.output(), /fetching[\s\S]*installed/);
});
