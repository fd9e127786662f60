// Checks the install path “package”: packs, installs into an empty folder, starts the server, speaks, transcribes the
// result, backs up, stops by SIGTERM. Takes one to three minutes and about 1 GB in the temporary folder.
//
//   node scripts/check-package.mjs [TARBALL]     models come from MYNAH_MODELS or the usual cache
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packNpmPackages } from './package.mjs';
import { pruneBinaries } from './prune-binaries.mjs';

const TEXT = 'Hello from a package of Mynah.';
const VOICE_TEXT =
  'This recording becomes a voice. It is long enough for that, because it has several sentences, and each of them is quite plain.';
const READY_TIMEOUT_MS = 300_000;

const scratch = mkdtempSync(join(tmpdir(), 'mynah-check-package-'));
const app = join(scratch, 'app');
const home = join(scratch, 'home');
const port = await freePort();
const env = {
  PATH: process.env.PATH,
  HOME: home,
  PORT: String(port),
  MYNAH_MODELS: process.env.MYNAH_MODELS ?? join(homedir(), '.cache/mynah/models'),
  npm_config_cache: process.env.npm_config_cache ?? join(homedir(), '.npm'),
};
let server;
try {
  const tarball = process.argv[2] ? resolve(process.argv[2]) : packNpmPackages({ out: scratch })[0];
  for (const folder of [app, home]) mkdirSync(folder);
  writeFileSync(join(app, 'package.json'), '{"private":true}');
  console.log(`tarball: ${megabytes(statSync(tarball).size)}`);
  run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', tarball]);
  const installed = folderBytes(app);
  pruneBinaries(app);
  console.log(`installed: ${megabytes(installed)}, pruned: ${megabytes(folderBytes(app))}`);
  console.log(`version: ${run('npx', ['mynah', '--version']).trim()}`);

  server = await start(home);
  const key = readFileSync(join(home, '.local/share/mynah/first-key'), 'utf8').trim();
  writeFileSync(join(app, 'hello.mp3'), await speak(key, { text: TEXT, format: 'mp3' }));
  const page = await fetch(`http://127.0.0.1:${port}/`, { redirect: 'manual' });
  assert(
    page.status === 200 && /text\/html/.test(page.headers.get('content-type')),
    'the console is missing',
  );
  const text = run('npx', ['mynah', 'transcribe', '--text', 'hello.mp3']);
  console.log(`transcribed: ${text.trim()}`);
  assert(/hello from a package/i.test(text), 'the transcript differs');

  const voice = await cloneVoice(key, await speak(key, { text: VOICE_TEXT, format: 'wav' }));
  const request = { text: 'The same bytes before and after.', reference_id: voice, seed: 7, format: 'wav' };
  const before = await speak(key, request);
  run('npx', ['mynah', 'backup', 'backup.tar']);
  await stop(server);
  const elsewhere = join(scratch, 'elsewhere');
  run('npx', ['mynah', 'restore', 'backup.tar', '--data', join(elsewhere, '.local/share/mynah')]);
  server = await start(elsewhere);
  assert(before.equals(await speak(key, request)), 'the restored voice speaks other bytes');
  console.log('restored: the key works, and the cloned voice speaks equal bytes');
  await stop(server);
  console.log('The package works.');
} finally {
  server?.kill('SIGKILL');
  rmSync(scratch, { recursive: true, force: true });
}

/** Starts the server and waits until it is ready. */
async function start(home) {
  const child = spawn(join(app, 'node_modules/.bin/mynah'), ['serve'], {
    cwd: app,
    env: { ...env, HOME: home, MYNAH_LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (const endMs = Date.now() + READY_TIMEOUT_MS; ; await sleep(500)) {
    const isReady = await fetch(`http://127.0.0.1:${port}/v1/health`)
      .then((response) => response.json())
      .then(({ ready }) => ready === true)
      .catch(() => false);
    if (isReady) return child;
    assert(Date.now() < endMs && child.exitCode === null, 'the server is not ready');
  }
}

async function stop(child) {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const [status, signal] = await exited;
  assert(status === 0, `the server ended with ${signal ?? `status ${status}`}`);
}

async function speak(key, body) {
  const response = await fetch(`http://127.0.0.1:${port}/v1/tts`, {
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
  const response = await fetch(`http://127.0.0.1:${port}/model`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body,
  });
  assert(response.status === 201, `cloning: ${response.status} ${await response.clone().text()}`);
  return (await response.json())._id;
}

function run(command, args) {
  return execFileSync(command, args, {
    cwd: app,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

function assert(isTrue, problem) {
  if (!isTrue) throw new Error(problem);
}

function folderBytes(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath ?? entry.path, entry.name)).size, 0);
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
