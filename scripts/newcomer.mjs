// What a newcomer does on the first day, in a fresh clone with an empty home folder, and what must be true after each
// step: start, speak, stop, start without a network, command line from another folder, backup and restore, uninstall.
//
//   node scripts/newcomer.mjs            installs and builds the clone, as a newcomer does (packages from the registry)
//   node scripts/newcomer.mjs --reuse    takes packages and build from this tree: for CI
//
// Models come from MYNAH_MODELS or ~/.cache/mynah/models. As root, everything runs as an unprivileged user.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ROOT } from './setup.mjs';

const STEP_MS = 600_000;
const NOBODY = 65_534;
const { reuse } = parseArgs({ options: { reuse: { type: 'boolean', default: false } } }).values;
const isRoot = process.getuid?.() === 0;
const identity = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

const folder = mkdtempSync(join(tmpdir(), 'mynah newcomer '));
const clone = join(folder, 'a path with spaces', 'mynah');
const home = join(folder, 'home');
const elsewhere = join(folder, 'elsewhere');
const models = join(folder, 'models');
const npmCache = join(folder, 'npm-cache');
const data = join(clone, 'data');
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const env = {
  PATH: process.env.PATH,
  HOME: home,
  PORT: String(port),
  MYNAH_MODELS: models,
  npm_config_cache: npmCache,
  // One worker process: the measurement of the machine and its second worker are tested elsewhere.
  ...(reuse && { MYNAH_WORKERS: '1', MYNAH_THREADS: '1', MYNAH_STOCK_DECODER_MAX_RTF: '0' }),
};
const steps = [
  ['clone into a path with spaces', makeClone],
  ['npm start, and the command of the README speaks', startAndSpeak],
  ['SIGTERM to npm start stops the server and leaves a complete database file', stopCleanly],
  ['start and speak without a network', speakOffline],
  ['command line from another folder', useCommandLineElsewhere],
  ['backup and restore', backUpAndRestore],
  ['uninstall leaves nothing behind', uninstall],
];

let server;
const startedAt = Date.now();
try {
  for (const [name, step] of steps) {
    const note = await step();
    console.log(
      `ok  ${((Date.now() - startedAt) / 1000).toFixed(0).padStart(4)} s  ${name}${note ? ` (${note})` : ''}`,
    );
  }
} finally {
  server?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

function makeClone() {
  for (const path of [home, elsewhere, npmCache, join(folder, 'a path with spaces')]) mkdirSync(path);
  execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${ROOT}`, clone]);
  const source = process.env.MYNAH_MODELS ?? join(homedir(), '.cache/mynah/models');
  copyTree(source, models);
  if (reuse) {
    for (const name of [
      'node_modules',
      'server/dist',
      'sdk/typescript/dist',
      'sdk/typescript/cjs',
      'examples/dist',
      'console/dist',
    ])
      copyTree(join(ROOT, name), join(clone, name));
    execFileSync(process.execPath, [join(clone, 'scripts/setup.mjs'), '--mark-current']);
  }
  for (const path of [folder, home, elsewhere, npmCache, models, clone])
    if (isRoot) chownSync(path, NOBODY, NOBODY);
  if (isRoot && !reuse) execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, folder]);
  return isRoot ? 'as an unprivileged user from here on' : '';
}

async function startAndSpeak() {
  await start();
  await speak(readKey());
  assert.equal(statSync(join(data, 'first-key')).mode & 0o777, 0o600, 'only its owner can read the key');
}

async function stopCleanly() {
  await stop();
  assert.ok(!existsSync(join(data, 'mynah.db-wal')), 'no write-ahead log is left');
  assert.ok(statSync(join(data, 'mynah.db')).size > 4096, 'the database file is complete');
}

/** Everything in one shell inside a network namespace that has a loopback interface only. */
async function speakOffline() {
  const inside = ['unshare', '--net', ...(isRoot ? [] : ['--map-root-user'])];
  const up = 'ip link set lo up';
  if (spawnSync(inside[0], [...inside.slice(1), 'sh', '-c', up]).status !== 0)
    return 'skipped: no permission for a network namespace';
  const script = `${up}
    ${isRoot ? `exec setpriv --reuid=${NOBODY} --regid=${NOBODY} --clear-groups sh -c '` : "sh -c '"}
      npm start & server=$!
      until curl --silent --fail "$URL/v1/health/ready" >/dev/null; do sleep 0.3; kill -0 $server || exit 9; done
      curl --silent --fail-with-body "$URL/v1/tts" -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
        -d "{\\"text\\": \\"No network.\\"}" --output "$OUT"
      status=$?
      kill -TERM $server; wait $server
      exit $status
    '`;
  const out = join(elsewhere, 'offline.mp3');
  await run(inside[0], [...inside.slice(1), 'sh', '-c', script], {
    cwd: clone,
    asRoot: true,
    extra: { URL: url, KEY: readKey(), OUT: out },
  });
  assert.ok(statSync(out).size > 2000, 'offline.mp3 has audio');
}

async function useCommandLineElsewhere() {
  await start();
  const printed = await mynah(['keys', 'create', '--name', 'newcomer', '--json']);
  const { key } = JSON.parse(printed);
  await speak(key);
  await mynah(['say', 'From another folder.', '-o', 'said.wav']);
  assert.deepEqual(readdirSync(elsewhere).sort(), [
    'hello.mp3',
    ...(existsSync(join(elsewhere, 'offline.mp3')) ? ['offline.mp3'] : []),
    'said.wav',
  ]);
}

async function backUpAndRestore() {
  const key = readKey();
  await mynah(['backup', 'mynah.tar']);
  await stop();
  rmSync(data, { recursive: true });
  await mynah(['restore', 'mynah.tar']);
  await start();
  await speak(key);
  await stop();
}

/** Models and the npm cache are kept; nothing else was written. */
function uninstall() {
  rmSync(clone, { recursive: true });
  assert.deepEqual(readdirSync(home), [], 'the home folder is as empty as before');
  assert.deepEqual(readdirSync(folder).sort(), [
    'a path with spaces',
    'elsewhere',
    'home',
    'models',
    'npm-cache',
  ]);
}

async function start() {
  server = spawn('npm', ['start'], { cwd: clone, env, ...identity, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [];
  server.stdout.on('data', (chunk) => output.push(chunk));
  server.stderr.on('data', (chunk) => output.push(chunk));
  const end = Date.now() + STEP_MS;
  while (!(await isReady())) {
    if (server.exitCode !== null || Date.now() > end)
      throw new Error(`The server did not start:\n${Buffer.concat(output)}`);
    await delay(200);
  }
}

async function stop() {
  const exited = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGTERM');
  await exited;
  server = undefined;
  const end = Date.now() + STEP_MS;
  while (await isListening()) {
    assert.ok(Date.now() < end, 'no server is left after npm start has ended');
    await delay(200);
  }
}

async function isReady() {
  return (await fetch(`${url}/v1/health/ready`).catch(() => undefined))?.ok === true;
}
async function isListening() {
  return (await fetch(`${url}/healthz`).catch(() => undefined)) !== undefined;
}

/** Runs the command of the README with this key and port, in a shell. */
async function speak(key) {
  const readme = readFileSync(join(clone, 'README.md'), 'utf8');
  const command = /^curl [^`]*?\/v1\/tts(?:.*\\\n)*.*$/m.exec(readme)?.[0];
  assert.ok(command, 'the README has a command');
  const here = command.replace('http://127.0.0.1:8080', url).replace('$(cat data/first-key)', key);
  await run('bash', ['-c', here], { cwd: elsewhere });
  assert.ok(statSync(join(elsewhere, 'hello.mp3')).size > 2000, 'hello.mp3 has audio');
}

function readKey() {
  return readFileSync(join(data, 'first-key'), 'utf8').trim();
}

/** The command line as a user of the clone calls it from another folder. */
function mynah(args) {
  return run('npm', ['--prefix', clone, 'run', '--silent', 'mynah', '--', ...args], { cwd: elsewhere });
}

function run(command, args, { cwd, asRoot = false, extra = {} }) {
  const child = spawn(command, args, {
    cwd,
    env: { ...env, ...extra },
    ...(asRoot ? {} : identity),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: STEP_MS,
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) child[name].on('data', (chunk) => (output[name] += chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) =>
      code === 0
        ? resolve(output.stdout)
        : reject(
            new Error(`${command} ${args.join(' ')} ended with ${code}:\n${output.stdout}${output.stderr}`),
          ),
    );
  });
}

/** Copies with hard links where that is possible. */
function copyTree(from, to) {
  if (spawnSync('cp', ['-al', from, to]).status === 0) return;
  rmSync(to, { recursive: true, force: true });
  execFileSync('cp', ['-a', from, to]);
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = probe.address();
      probe.close(() => resolve(free));
    });
  });
}
