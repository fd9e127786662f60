// Checks the install path “package”: packs, installs into an empty folder, starts the server, speaks, transcribes the
// result, backs up, stops by SIGTERM. Takes one to three minutes and about 1 GB in the temporary folder.
//
//   node scripts/check-package.mjs [TARBALL]     models come from MYNAH_MODELS or the usual cache
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { packNpmPackages } from './package.mjs';
import { pruneBinaries } from './prune-binaries.mjs';
import {
  assert,
  cloneVoice,
  firstKey,
  freePort,
  speak,
  startServer,
  stopServer,
  VOICE_TEXT,
} from './support/real-server.mjs';

const TEXT = 'Hello from a package of Mynah.';

const scratch = mkdtempSync(join(tmpdir(), 'mynah-check-package-'));
const app = join(scratch, 'app');
const home = join(scratch, 'home');
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
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
  const key = firstKey(join(home, '.local/share/mynah'));
  writeFileSync(join(app, 'hello.mp3'), await speak(url, key, { text: TEXT, format: 'mp3' }));
  const page = await fetch(url, { redirect: 'manual' });
  assert(
    page.status === 200 && /text\/html/.test(page.headers.get('content-type')),
    'the console is missing',
  );
  const text = run('npx', ['mynah', 'transcribe', '--text', 'hello.mp3']);
  console.log(`transcribed: ${text.trim()}`);
  assert(/hello from a package/i.test(text), 'the transcript differs');

  const voice = await cloneVoice(url, key, await speak(url, key, { text: VOICE_TEXT, format: 'wav' }));
  const request = { text: 'The same bytes before and after.', reference_id: voice, seed: 7, format: 'wav' };
  const before = await speak(url, key, request);
  run('npx', ['mynah', 'backup', 'backup.tar']);
  await stopServer(server);
  const elsewhere = join(scratch, 'elsewhere');
  run('npx', ['mynah', 'restore', 'backup.tar', '--data', join(elsewhere, '.local/share/mynah')]);
  server = await start(elsewhere);
  assert(before.equals(await speak(url, key, request)), 'the restored voice speaks other bytes');
  console.log('restored: the key works, and the cloned voice speaks equal bytes');
  await stopServer(server);
  console.log('The package works.');
} finally {
  server?.kill('SIGKILL');
  rmSync(scratch, { recursive: true, force: true });
}

function start(home) {
  return startServer({
    command: join(app, 'node_modules/.bin/mynah'),
    args: ['serve'],
    url,
    cwd: app,
    env: { ...env, HOME: home, MYNAH_LOG_LEVEL: 'warn' },
  });
}

function run(command, args) {
  return execFileSync(command, args, {
    cwd: app,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

function folderBytes(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath ?? entry.path, entry.name)).size, 0);
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}
