import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type HostedFile, startHubServer } from '../../../../test/support/models/hub-server.ts';
import type { StoreProcessTask } from '../../../../test/support/models/store-process.ts';
import { makeTemporaryFolder } from '../../../../test/support/models/temporary-folder.ts';
import {
  makeBytes,
  makeCatalogue,
  makeModel,
  pinnedFile,
} from '../../../../test/support/models/test-catalogue.ts';
import { until } from '../../../../test/support/servers/real-server.ts';
import { createHubSource } from '../sources/hub-source.ts';
import { createModelStore } from './model-store.ts';

type Throttle = NonNullable<HostedFile['throttle']>;

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

/** Size of the partial file of `large.bin` in an installation that has not finished. */
async function partBytes(root: string): Promise<number> {
  const incoming = join(root, '.incoming');
  const paths = await readdir(incoming, { recursive: true }).catch(() => []);
  const part = paths.find((path) => path.endsWith('large.bin.part'));
  return part === undefined
    ? 0
    : stat(join(incoming, part)).then(
        ({ size }) => size,
        () => 0,
      );
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
  const throttle: Throttle = { chunkBytes: 20_000, holdFromByte: 100_000 };
  const { url, requests } = await startHubServer(t, {
    [smallUrl]: { content: small },
    [largeUrl]: { content: large, throttle },
  });
  const { child } = startStoreProcess({ root, hubUrl: url, modelId: 'm', files });
  await until('the large file is partly written', async () => (await partBytes(root)) > 0);
  child.kill('SIGKILL');
  await once(child, 'close');
  delete throttle.holdFromByte;

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
  const throttle: Throttle = { chunkBytes: 20_000, holdFromByte: 100_000 };
  const { url, requests } = await startHubServer(t, {
    [smallUrl]: { content: small },
    [largeUrl]: { content: large, throttle },
  });
  const processes = [1, 2, 3].map(() => startStoreProcess({ root, hubUrl: url, modelId: 'm', files }));
  await until(
    'two processes wait',
    () => processes.filter(({ output }) => output().includes('waiting')).length === 2,
  );
  delete throttle.holdFromByte;
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
  const throttle: Throttle = { chunkBytes: 20_000, holdFromByte: 100_000 };
  const { url } = await startHubServer(t, {
    [smallUrl]: { content: small },
    [largeUrl]: { content: large, throttle },
  });
  const first = startStoreProcess({ root, hubUrl: url, modelId: 'm', files });
  await until('the first process downloads', () => first.output().includes('fetching'));
  const second = startStoreProcess({ root, hubUrl: url, modelId: 'm', files });
  await until('the second process waits', () => second.output().includes('waiting'));
  first.child.kill('SIGKILL');
  delete throttle.holdFromByte;
  const [exitCode] = await once(second.child, 'close');
  assert.equal(exitCode, 0);
  assert.match(second.output(), /fetching[\s\S]*installed/);
});
