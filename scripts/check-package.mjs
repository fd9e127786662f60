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

  server = spawn(join(app, 'node_modules/.bin/mynah'), ['serve'], {
    cwd: app,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const exited = once(server, 'exit');
  await until(async () => (await (await fetch(`http://127.0.0.1:${port}/v1/health`)).json()).ready === true);
  const key = readFileSync(join(home, '.local/share/mynah/first-key'), 'utf8').trim();
  const spoken = await fetch(`http://127.0.0.1:${port}/v1/tts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text: TEXT, format: 'mp3' }),
  });
  assert(spoken.status === 200, `speech: ${spoken.status}`);
  writeFileSync(join(app, 'hello.mp3'), Buffer.from(await spoken.arrayBuffer()));
  const page = await fetch(`http://127.0.0.1:${port}/`, { redirect: 'manual' });
  assert(
    page.status === 200 && /text\/html/.test(page.headers.get('content-type')),
    'the console is missing',
  );
  const text = run('npx', ['mynah', 'transcribe', '--text', 'hello.mp3']);
  console.log(`transcribed: ${text.trim()}`);
  assert(/hello from a package/i.test(text), 'the transcript differs');
  run('npx', ['mynah', 'backup', 'backup.tar']);
  run('npx', ['mynah', 'restore', 'backup.tar', '--data', join(scratch, 'restored')]);
  server.kill('SIGTERM');
  const [status, signal] = await exited;
  assert(status === 0, `the server ended with ${signal ?? `status ${status}`}`);
  console.log('The package works.');
} finally {
  server?.kill('SIGKILL');
  rmSync(scratch, { recursive: true, force: true });
}

function run(command, args) {
  return execFileSync(command, args, {
    cwd: app,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function until(isTrue) {
  for (const endMs = Date.now() + READY_TIMEOUT_MS; ; await sleep(500)) {
    if (await isTrue().catch(() => false)) return;
    assert(Date.now() < endMs && server.exitCode === null, 'the server is not ready');
  }
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
