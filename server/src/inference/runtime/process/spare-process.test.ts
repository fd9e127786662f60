import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { prepareProcess, takeProcess } from './spare-process.ts';

let folder: string;
let entry: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mynah-spare-'));
  entry = join(folder, 'answer.mjs');
  await writeFile(entry, "process.on('message', (message) => process.send(message));\n");
});

after(() => rm(folder, { recursive: true, force: true }));

async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

test('a prepared process is taken once, and answers', async () => {
  prepareProcess(entry);
  const first = await takeProcess(entry);
  const second = await takeProcess(entry);
  assert.notEqual(first.pid, second.pid);
  first.send({ samples: Float32Array.of(1, 2) });
  const [answer] = await once(first, 'message');
  assert.deepEqual(answer, { samples: Float32Array.of(1, 2) });
  await Promise.all([stop(first), stop(second)]);
});

test('a prepared process that has ended is replaced', async () => {
  const ended = join(folder, 'end.mjs');
  await writeFile(ended, '');
  prepareProcess(ended);
  const first = await takeProcess(ended);
  await once(first, 'exit');
  prepareProcess(ended);
  await new Promise((resolve) => setTimeout(resolve, 500));
  const second = await takeProcess(ended);
  assert.notEqual(first.pid, second.pid);
  await once(second, 'exit');
});

test('a prepared process begins with its order, and is taken for these settings only', async () => {
  const recorder = join(folder, 'record.mjs');
  await writeFile(
    recorder,
    `const received = [];
    process.on('message', (message) => received.push(message) === 3 && process.send(received));\n`,
  );
  const settings = { modelsRoot: '/models', assetsRoot: '/assets', threads: 1 };
  prepareProcess(recorder, { settings, engine: 'kokoro-fast' });
  const first = await takeProcess(recorder, { ...settings });
  first.send('taken');
  const [received] = await once(first, 'message');
  assert.deepEqual(received, [
    { type: 'start', settings },
    { type: 'load', id: 0, engine: 'kokoro-fast' },
    'taken',
  ]);
  prepareProcess(recorder, { settings, engine: 'kokoro-fast' });
  const other = await takeProcess(recorder, { ...settings, threads: 2 });
  for (const message of [1, 2, 3]) other.send(message);
  assert.deepEqual((await once(other, 'message'))[0], [1, 2, 3]);
  await Promise.all([stop(first), stop(other)]);
});
