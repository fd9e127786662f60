import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadConfig } from '../../src/config/config.ts';
import { startRealServer, until } from '../support/servers/real-server.ts';

const hasStrace = spawnSync('strace', ['--version']).status === 0;
const isRequired = process.env.MYNAH_TEST_STRACE === 'required';

const STRACE_OPTIONS = ['--follow-forks', '--seccomp-bpf', '-e', 'trace=connect', '-o'];

test('a start, a request of each kind and a stop connect to nothing outside and write nothing outside the data folder', {
  skip: !hasStrace && !isRequired && 'strace is not installed',
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mynah-traced-'));
  const home = join(folder, 'home');
  const trace = join(folder, 'trace');
  await mkdir(home);
  try {
    const server = await startRealServer({
      dataFolder: join(folder, 'data'),
      wrapper: ['strace', '--daemonize', ...STRACE_OPTIONS, trace],
      env: { HOME: home, MYNAH_MODELS: loadConfig(process.env).config.modelsFolder },
    });
    const speech = await server.speak({ text: 'Nothing leaves this machine.', format: 'wav' });
    assert.equal(speech.status, 200);
    const form = new FormData();
    form.append('audio', await speech.blob(), 'speech.wav');
    const transcription = await fetch(`${server.url}/v1/asr`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}` },
      body: form,
    });
    assert.equal(transcription.status, 200);
    await server.close();

    // strace pads process ids of fewer than five digits with spaces.
    const end = new RegExp(`^${server.process.pid} +\\+\\+\\+ exited`, 'm');
    await until('the trace is complete', async () => end.test(await readFile(trace, 'utf8')));
    const connections = (await readFile(trace, 'utf8'))
      .split('\n')
      .filter((line) => line.includes('connect('));
    const outside = connections.filter(
      (line) => /AF_INET/.test(line) && !/inet_addr\("127\.|inet_pton\(AF_INET6, "::1"/.test(line),
    );
    assert.deepEqual(outside, []);
    assert.deepEqual(await readdir(home), []);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('the trace shows a connection to an outside address', {
  skip: !hasStrace && !isRequired && 'strace is not installed',
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mynah-traced-'));
  try {
    const trace = join(folder, 'trace');
    const script = join(folder, 'connect.mjs');
    // TEST-NET-1 (RFC 5737): an address that no machine has.
    await writeFile(
      script,
      `import net from 'node:net'; net.connect(9, '192.0.2.1').on('error', () => {}).unref();`,
    );
    spawnSync('strace', [...STRACE_OPTIONS, trace, process.execPath, script]);
    assert.match(await readFile(trace, 'utf8'), /inet_addr\("192\.0\.2\.1"\)/);
  } finally {
    await rm(folder, { recursive: true });
  }
});
