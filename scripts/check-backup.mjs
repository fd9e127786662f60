// Checks backup and restoration with a real server: a backup during 50 paid requests is restored elsewhere; there the ledger
// verifies, a cloned voice speaks equal bytes with a seed, and all keys work. Needs a build and the models.
//
//   node scripts/check-backup.mjs
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const ROOT = resolve(import.meta.dirname, '..');
const REQUESTS = 50;
const CLIENTS = 4;
const READY_TIMEOUT_MS = 600_000;
const VOICE_TEXT =
  'This recording becomes a voice. It is long enough for that, because it has several sentences, and each of them is quite plain.';

const scratch = mkdtempSync(join(tmpdir(), 'mynah-check-backup-'));
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
let server;
try {
  server = await start('data');
  const key = readFileSync(join(scratch, 'data/first-key'), 'utf8').trim();
  mynah('data', 'topup', 'acc_first', '100');
  const second = JSON.parse(mynah('data', 'keys', 'create', '--name', 'second', '--json')).key;
  const voice = await cloneVoice(key, await speak(key, { text: VOICE_TEXT, format: 'wav' }));
  const request = { text: 'The same bytes before and after.', reference_id: voice, seed: 7, format: 'wav' };
  const before = await speak(key, request);

  let finished = 0;
  let isBackedUp = false;
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (finished < REQUESTS || !isBackedUp) {
      await speak(key, { text: 'A paid request.' });
      finished++;
    }
  });
  const file = join(scratch, 'backup.tar');
  const backup = spawn(process.execPath, [join(ROOT, 'server/dist/src/cli/main.js'), 'backup', file], {
    env: environment('data'),
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  const [status] = await once(backup, 'exit');
  const during = finished;
  isBackedUp = true;
  await Promise.all(clients);
  assert(status === 0, `the backup ended with status ${status}`);
  console.log(
    `backup: ${statSync(file).size} bytes, finished during request ${during} of ${finished} paid ones`,
  );
  await stop(server);

  mynah('elsewhere', 'restore', file);
  const { is_balanced: isBalanced } = JSON.parse(mynah('elsewhere', 'ledger', 'verify', '--json'));
  assert(isBalanced === true, 'the ledger does not verify');
  server = await start('elsewhere');
  assert(before.equals(await speak(key, request)), 'the restored voice speaks other bytes');
  await speak(second, { text: 'The second key works.' });
  mynah('elsewhere', 'ledger', 'verify');
  await stop(server);
  console.log(
    `restored: the ledger verifies, both keys work, the cloned voice speaks equal bytes (${before.length}, seed 7)`,
  );
} finally {
  server?.kill('SIGKILL');
  rmSync(scratch, { recursive: true, force: true });
}

function environment(folder) {
  return {
    ...process.env,
    MYNAH_DATA: join(scratch, folder),
    PORT: String(port),
    MYNAH_BILLING: 'prepaid',
    MYNAH_LOG_LEVEL: 'warn',
  };
}

function mynah(folder, ...args) {
  const cli = join(ROOT, 'server/dist/src/cli/main.js');
  return execFileSync(process.execPath, [cli, ...args], {
    env: environment(folder),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function start(folder) {
  const child = spawn(process.execPath, [join(ROOT, 'server/dist/src/main.js')], {
    env: environment(folder),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (const endMs = Date.now() + READY_TIMEOUT_MS; ; await sleep(500)) {
    if (
      await fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return child;
    assert(Date.now() < endMs && child.exitCode === null, 'the server is not ready');
  }
}

async function stop(child) {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const [status] = await exited;
  assert(status === 0, `the server ended with status ${status}`);
}

async function speak(key, body) {
  const response = await fetch(`${url}/v1/tts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert(response.status === 200, `speech: ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

async function cloneVoice(key, recording) {
  const body = new FormData();
  body.append('title', 'Check');
  body.append('voices', new Blob([recording]), 'recording.wav');
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${url}/model`, { method: 'POST', headers, body });
  assert(response.status === 201, `cloning: ${response.status} ${await response.clone().text()}`);
  return (await response.json())._id;
}

function assert(isTrue, problem) {
  if (!isTrue) throw new Error(problem);
}

function freePort() {
  return new Promise((done) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => done(port));
    });
  });
}
