import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { WebSocket } from 'ws';
import { PACKAGE_ROOT } from '../../src/config/package-info.ts';
import { startTestServer, type TestServer } from '../support/http-server.ts';
import { skipWithout } from '../support/missing-program.ts';
import { until } from '../support/real-server.ts';
import { ToneSpeech } from '../support/tone-speech.ts';

const WAIT_MS = 60_000;
/** Above the default limits of proxies: 1 MB in nginx. */
const UPLOAD_BYTES = 3 * 2 ** 20;

let server: TestServer;
let root: string;
/** Called by the test when it has received audio. Without it, speech pauses after its first chunk. */
let goOn: () => void = () => {};

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'mynah-proxies-'));
  const tone = new ToneSpeech();
  server = await startTestServer({
    config: { trustProxy: ['loopback'] },
    speech: {
      async speak(request, signal) {
        const result = await tone.speak(request, signal);
        const wait = new Promise<void>((resolve) => {
          goOn = resolve;
        });
        return { ...result, body: pauseAfterFirst(result.body, wait) };
      },
    },
  });
});
after(async () => {
  await server.close();
  await rm(root, { recursive: true });
});

async function* pauseAfterFirst(chunks: AsyncIterable<Uint8Array>, wait: Promise<void>) {
  let isFirst = true;
  for await (const chunk of chunks) {
    yield chunk;
    if (isFirst) await wait;
    isFirst = false;
  }
}

interface Proxy {
  readonly program: string;
  /** The arguments for the configuration of the project, with other addresses. */
  configure(port: number): Promise<readonly string[]>;
}

const PROXIES: readonly Proxy[] = [
  {
    program: 'nginx',
    async configure(port) {
      const site = (await readConfiguration('nginx.conf'))
        .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
        .replaceAll(/^\s*ssl_.*$/gm, '');
      const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((name) => `${name}_temp_path ${join(root, name)};`)
        .join(' ');
      const path = join(root, 'nginx.conf');
      await writeFile(
        path,
        `daemon off; pid ${join(root, 'nginx.pid')}; error_log stderr;
        events {} http { access_log off; ${paths} ${site} }`,
      );
      return ['-p', root, '-e', 'stderr', '-c', path];
    },
  },
  {
    program: 'caddy',
    async configure(port) {
      const site = (await readConfiguration('Caddyfile')).replace(
        'voice.example.com',
        `http://127.0.0.1:${port}`,
      );
      const path = join(root, 'Caddyfile');
      await writeFile(path, `{\n\tadmin off\n}\n${site}`);
      return ['run', '--config', path, '--adapter', 'caddyfile'];
    },
  },
];

/** A configuration of the project, for the server of this test. */
async function readConfiguration(name: string): Promise<string> {
  const text = await readFile(new URL(`../deploy/${name}`, PACKAGE_ROOT), 'utf8');
  return text.replaceAll('127.0.0.1:8080', new URL(server.url).host);
}

for (const proxy of PROXIES) {
  test(`${proxy.program}: audio is not buffered, WebSockets open, uploads have no further limit`, async (context) => {
    if (spawnSync(proxy.program, ['-h']).error !== undefined) {
      return skipWithout('proxies', context, `${proxy.program} is not installed.`);
    }
    const url = await startProxy(context, proxy);
    const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' };

    const spoken = await fetch(`${url}/v1/tts`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ text: 'A sentence of some length. And another one.', format: 'pcm' }),
    });
    assert.equal(spoken.status, 200);
    const reader = spoken.body!.getReader();
    // A proxy that buffers would wait for the end, which comes only after this.
    assert.ok((await reader.read()).value!.length > 0);
    goOn();
    while (!(await reader.read()).done);

    const body = new FormData();
    body.append('audio', new Blob([`audio:one two${' '.repeat(UPLOAD_BYTES)}`]), 'speech.wav');
    const { authorization } = headers;
    const heard = await fetch(`${url}/v1/asr`, { method: 'POST', headers: { authorization }, body });
    assert.equal(heard.status, 200, await heard.clone().text());

    const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/tts/live`, { headers: { authorization } });
    await once(socket, 'open');
    socket.terminate();
    assert.equal((await fetch(`${url}/metrics`, { headers: { authorization } })).status, 404);
  });
}

async function startProxy(context: TestContext, proxy: Proxy): Promise<string> {
  const port = await findFreePort();
  const child: ChildProcess = spawn(proxy.program, await proxy.configure(port), {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: root },
  });
  let errors = '';
  child.stderr!.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  context.after(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  const url = `http://127.0.0.1:${port}`;
  await until(
    `${proxy.program} listens`,
    async () => {
      assert.equal(child.exitCode, null, errors);
      return fetch(`${url}/v1/health`).then(
        ({ status }) => status === 200,
        () => false,
      );
    },
    WAIT_MS,
  );
  return url;
}

function findFreePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
