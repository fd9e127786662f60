import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { MAIN, startRealServer, until } from '../support/real-server.ts';

const LONG_TEXT = 'The river carried the boat past the mill, the bridge and the sleeping town. '.repeat(30);

test('the first start shows its key once, keeps it for the owner alone, and prints a command that works', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'mynah-first-'));
  try {
    const first = await startRealServer({ dataFolder });
    const file = join(dataFolder, 'first-key');
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.match(first.output(), new RegExp(first.key));
    assert.match(first.output(), /curl .*\/v1\/tts/);
    assert.match(first.output(), /--output hello\.mp3/);
    const spoken = await first.speak({
      text: 'Hello! I speak on your own machine, and I am glad to meet you.',
    });
    assert.equal(spoken.headers.get('content-type'), 'audio/mpeg');
    assert.ok((await spoken.arrayBuffer()).byteLength > 20_000);
    await first.close();

    const second = await startRealServer({ dataFolder });
    assert.ok(!second.output().includes(second.key));
    assert.equal((await readFile(file, 'utf8')).trim(), first.key);
    assert.equal((await second.speak({ text: 'Again.' })).status, 200);
    await second.close();
  } finally {
    await rm(dataFolder, { recursive: true });
  }
});

test('asked to stop, the server lets a running stream finish and takes no new one', async () => {
  const server = await startRealServer();
  const response = await server.speak({ text: LONG_TEXT, format: 'pcm' });
  const reader = response.body!.getReader();
  await reader.read();
  const exited = once(server.process, 'exit');
  server.process.kill('SIGINT');
  let bytes = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) bytes += part.value.byteLength;
  assert.ok(bytes > 60 * 88_200, `${bytes} bytes of a text that takes over a minute to speak`);
  const [code] = await exited;
  assert.equal(code, 0);
  await assert.rejects(server.health(), 'nobody listens any more');
  await server.close();
});

test('a server that is stopped while its workers start exits with status 0 and prints no error', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'mynah-stopped-start-'));
  try {
    const child = spawn(process.execPath, [MAIN], {
      env: { ...process.env, PORT: '0', MYNAH_DATA: dataFolder, MYNAH_LOG_LEVEL: 'info' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    const exited = once(child, 'exit');
    await until('workers are starting', () => output.includes('workers and S2 decoder selected'));
    assert.ok(!output.includes('worker ready'));
    child.kill('SIGTERM');
    const [code] = await exited;
    assert.equal(code, 0, output);
    assert.doesNotMatch(output, /"level":"error"|\n {4}at /);
  } finally {
    await rm(dataFolder, { recursive: true });
  }
});

test('asked to stop twice, the server stops at once', async () => {
  const server = await startRealServer();
  const response = await server.speak({ text: LONG_TEXT.repeat(20), format: 'pcm' });
  const reader = response.body!.getReader();
  await reader.read();
  const exited = once(server.process, 'exit');
  server.process.kill('SIGTERM');
  // A second signal within half a second counts as an echo of the first.
  setTimeout(() => server.process.kill('SIGTERM'), 800);
  await exited;
  await assert.rejects(async () => {
    while (!(await reader.read()).done);
  });
  await server.close();
});
