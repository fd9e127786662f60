import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import {
  AUTOMATIC_WORKERS,
  MAIN,
  type RealServer,
  startRealServer,
  until,
} from '../support/servers/real-server.ts';

const LONG_TEXT = 'The river carried the boat past the mill, the bridge and the sleeping town. '.repeat(10);

let dataFolder: string;
let server: RealServer;
before(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'mynah-first-'));
  server = await startRealServer({ dataFolder, env: { ...AUTOMATIC_WORKERS, MYNAH_DRAIN_SECONDS: '600' } });
});
after(async () => {
  await server.close();
  await rm(dataFolder, { recursive: true });
});

/** A stream that has begun. */
async function startStream(text: string): Promise<ReadableStreamDefaultReader<Uint8Array>> {
  const response = await server.speak({ text, format: 'pcm' });
  const reader = response.body!.getReader();
  await reader.read();
  return reader;
}

test('the first start shows its key, keeps it for the owner alone, and prints a command that works', async () => {
  assert.equal((await stat(join(dataFolder, 'first-key'))).mode & 0o777, 0o600);
  assert.match(server.output(), new RegExp(server.key));
  assert.match(server.output(), /curl .*\/v1\/tts/);
  assert.match(server.output(), /--output hello\.mp3/);
  const spoken = await server.speak({
    text: 'Hello! I speak on your own machine, and I am glad to meet you.',
  });
  assert.equal(spoken.headers.get('content-type'), 'audio/mpeg');
  assert.ok((await spoken.arrayBuffer()).byteLength > 20_000);
});

test('asked to stop, the server lets a running stream finish and takes no new one', async () => {
  const reader = await startStream(LONG_TEXT);
  const exited = once(server.process, 'exit');
  server.process.kill('SIGINT');
  let bytes = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) bytes += part.value.byteLength;
  assert.ok(bytes > 30 * 88_200, `${bytes} bytes of a text that takes over half a minute to speak`);
  const [code] = await exited;
  assert.equal(code, 0);
  await assert.rejects(server.health(), 'nobody listens any more');
});

test('the second start has the same key and does not show it', async () => {
  const { key } = server;
  server = await startRealServer({ dataFolder });
  assert.equal(server.key, key);
  assert.ok(!server.output().includes(key));
  assert.equal((await server.speak({ text: 'Again.' })).status, 200);
});

test('asked to stop twice, the server stops at once', async () => {
  const reader = await startStream(LONG_TEXT.repeat(60));
  const exited = once(server.process, 'exit');
  server.process.kill('SIGTERM');
  // A second signal within half a second counts as an echo of the first.
  setTimeout(() => server.process.kill('SIGTERM'), 800);
  await exited;
  await assert.rejects(async () => {
    while (!(await reader.read()).done);
  });
});

test('a server that is stopped while its workers start exits with status 0 and prints no error', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mynah-stopped-start-'));
  try {
    const child = spawn(process.execPath, [MAIN], {
      env: { ...process.env, PORT: '0', MYNAH_DATA: folder, MYNAH_LOG_LEVEL: 'info', MYNAH_WORKERS: '2' },
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
    // The first one, which is prepared, may be ready. The second one starts after it.
    assert.ok(output.split('worker ready').length <= 2);
    child.kill('SIGTERM');
    const [code] = await exited;
    assert.equal(code, 0, output);
    assert.doesNotMatch(output, /"level":"error"|\n {4}at /);
  } finally {
    await rm(folder, { recursive: true });
  }
});
