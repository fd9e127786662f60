// Set-up of a clone, used by the other scripts and runnable on its own: installs when the lockfile has changed, builds when
// a source has changed. Imports only Node, because a fresh clone has no packages. Both checks take milliseconds.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pruneBinaries } from './prune-binaries.mjs';

const NODE_MIN = [20, 19];
const SOURCES = [
  ...['src', 'test', 'bench', 'fuzz', 'scripts'].map((folder) => `server/${folder}`),
  'sdk/typescript/src',
  'examples/typescript',
];

/** The folder of the repository, without a slash at the end. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, '');
/** The folder of the compiled server. */
export const DIST = join(ROOT, 'server', 'dist');
/** The folder of the compiled TypeScript library. */
export const SDK_DIST = join(ROOT, 'sdk', 'typescript', 'dist');

const INSTALL_STAMP = join(ROOT, 'node_modules', '.mynah-install');
const BUILD_STAMP = join(DIST, '.mynah-build');
const CONSOLE_STAMP = join(ROOT, 'console', 'dist', '.mynah-build');

/** Whether packages and build are up to date. */
export function isSetUp() {
  return (
    readStamp(INSTALL_STAMP) === installFingerprint() &&
    readStamp(BUILD_STAMP) === sourceFingerprint() &&
    readStamp(CONSOLE_STAMP) === consoleFingerprint()
  );
}

/** Brings packages and build up to date. On failure, prints one sentence and exits with status 1. */
export async function setUp() {
  assertNodeVersion();
  await installWhenNeeded();
  await buildWhenNeeded();
  await buildConsoleWhenNeeded();
}

/** Exits with one sentence where Node is too old. */
export function assertNodeVersion() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])) return;
  fail(
    `Mynah needs Node ${NODE_MIN.join('.')} or newer; this is ${process.versions.node}. See https://nodejs.org.`,
  );
}

async function installWhenNeeded() {
  const wanted = installFingerprint();
  if (readStamp(INSTALL_STAMP) === wanted) return;
  console.error('Installing packages…');
  rmSync(INSTALL_STAMP, { force: true });
  // Under `npm start` this is the npm that runs this script; it may be missing from PATH.
  const npm = process.env.npm_execpath;
  const [command, ...args] = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm'];
  await run('Installing packages', command, [...args, 'ci', '--no-audit', '--no-fund', '--loglevel=error']);
  pruneBinaries(ROOT);
  writeFileSync(INSTALL_STAMP, wanted);
}

async function buildWhenNeeded() {
  const wanted = sourceFingerprint();
  if (readStamp(BUILD_STAMP) === wanted) return;
  console.error('Building…');
  rmSync(BUILD_STAMP, { force: true });
  await run('The build', process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-b', ROOT]);
  await run('The build of the kernels', process.execPath, [join(ROOT, 'scripts/build-kernels.mjs')]);
  removeOrphans(DIST, join(ROOT, 'server'));
  removeOrphans(SDK_DIST, join(ROOT, 'sdk/typescript/src'));
  removeOrphans(join(ROOT, 'examples/dist'), join(ROOT, 'examples/typescript'));
  await run('The bundling of the server', process.execPath, [join(ROOT, 'scripts/bundle.mjs')]);
  writeFileSync(BUILD_STAMP, wanted);
}

/** The console bundles the compiled TypeScript library, so it is built after that. */
async function buildConsoleWhenNeeded() {
  const wanted = consoleFingerprint();
  if (readStamp(CONSOLE_STAMP) === wanted) return;
  console.error('Building the console…');
  await run('The build of the console', process.execPath, [join(ROOT, 'console/build.mjs')]);
  writeFileSync(CONSOLE_STAMP, wanted);
}

/** Marks the build as current, in a clone into which the build of the same sources was copied. */
export function markBuilt() {
  writeFileSync(BUILD_STAMP, sourceFingerprint());
  writeFileSync(CONSOLE_STAMP, consoleFingerprint());
}

function installFingerprint() {
  return createHash('sha256')
    .update(readFileSync(join(ROOT, 'package-lock.json')))
    .digest('hex');
}

function consoleFingerprint() {
  const sources = ['console/src', 'console/public', 'sdk/typescript/src'];
  const files = [
    'console/package.json',
    'console/index.html',
    'console/build.mjs',
    'console/vite-options.mjs',
  ];
  return fingerprint([
    ...files.map((name) => join(ROOT, name)),
    ...sources.flatMap((folder) => listFiles(join(ROOT, folder))),
  ]);
}

/** A hash that changes when a source is edited, added or removed. */
function sourceFingerprint() {
  const configs = [
    'package.json',
    'tsconfig.base.json',
    'tsconfig.json',
    'server/package.json',
    'server/tsconfig.json',
    'sdk/typescript/tsconfig.json',
    'sdk/typescript/tsconfig.cjs.json',
    'examples/typescript/tsconfig.json',
    'scripts/build-kernels.mjs',
    'scripts/bundle.mjs',
    'server/assets/front/front-int8.onnx',
    'server/assets/decoder/decoder-int8.onnx',
  ];
  const sources = SOURCES.flatMap((folder) => listFiles(join(ROOT, folder))).filter((path) =>
    /\.(ts|wat|wasm)$/.test(path),
  );
  return fingerprint([...configs.map((name) => join(ROOT, name)), ...sources]);
}

function fingerprint(paths) {
  const hash = createHash('sha256').update(process.version);
  for (const path of paths) {
    const { size, mtimeMs } = statSync(path);
    hash.update(`${path}\0${size}\0${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

/** Removes compiled files without a source; otherwise their tests would still run. */
function removeOrphans(compiledFolder, sourceFolder) {
  for (const path of listFiles(compiledFolder)) {
    const source = path.replace(compiledFolder, sourceFolder).replace(/(\.d\.ts|\.js)(\.map)?$/, '.ts');
    if (source.endsWith('.ts') && !existsSync(source)) rmSync(path, { force: true });
  }
}

function listFiles(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? listFiles(path) : [path];
    });
}

function readStamp(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Runs a command on this terminal. Exits with status 1 when it fails and with 130 on SIGINT or SIGTERM. */
async function run(step, command, args) {
  const child = spawn(command, args, { cwd: ROOT, stdio: ['inherit', 2, 2] });
  let isInterrupted = false;
  const interrupt = () => {
    isInterrupted = true;
    child.kill('SIGTERM');
  };
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  const problem = await new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('exit', (code, signal) => resolve(code === 0 ? undefined : (signal ?? `exit status ${code}`)));
  });
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  if (isInterrupted) process.exit(130);
  if (problem !== undefined) fail(`${step} failed (${problem}); see the lines above.`);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await setUp();
