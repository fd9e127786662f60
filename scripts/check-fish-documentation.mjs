// Runs the suites of Fish Audio's documentation (tests/cookbooks in Python, tests/js) against a real server:
// node scripts/check-fish-documentation.mjs CHECKOUT, where CHECKOUT is a clone of github.com/fishaudio/docs.
// The suites have a fixed host and name a voice of the cloud. In a copy, and in the installed clients, the host is
// replaced by that of the server, and the voice by a built-in one; nothing else is changed.

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { firstKey, freePort, startServer, stopServer } from './support/real-server.mjs';

const CLOUD = 'https://api.fish.audio';
const CLOUD_VOICE = '9a9cf47702da476aa4629e2506d4a857';
const OUR_VOICE = 'af_heart';
/** What the suites and their pages consist of. */
const PARTS = ['tests', 'features', 'developer-guide'];
const SUITE_TIMEOUT_MS = 1_800_000;

const { positionals } = parseArgs({ allowPositionals: true });
const [checkout] = positionals;
if (checkout === undefined) throw new Error('The argument is a clone of github.com/fishaudio/docs.');

const folder = mkdtempSync(join(tmpdir(), 'mynah-fish-documentation-'));
const data = join(folder, 'data');
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const server = await startServer({
  url,
  env: { ...process.env, MYNAH_DATA: data, PORT: String(port), MYNAH_LOG_LEVEL: 'warn' },
});
try {
  const key = firstKey(data);
  const docs = join(folder, 'docs');
  for (const part of PARTS) cpSync(join(checkout, part), join(docs, part), { recursive: true });
  replaceIn(join(docs, 'tests'), [
    [CLOUD, url],
    [CLOUD_VOICE, await voiceId(key)],
  ]);
  const env = { ...process.env, FISH_API_KEY: key };
  const results = [runPython(docs, env), runJavaScript(docs, env)];
  process.exitCode = results.every((isPassed) => isPassed) ? 0 : 1;
} finally {
  await stopServer(server);
  rmSync(folder, { recursive: true, force: true });
}

async function voiceId(key) {
  const response = await fetch(`${url}/model/${OUR_VOICE}`, { headers: { authorization: `Bearer ${key}` } });
  return (await response.json())._id;
}

function runPython(docs, env) {
  const environment = join(folder, 'python');
  execFileSync('python3', ['-m', 'venv', environment], { stdio: 'inherit' });
  const python = join(environment, 'bin', 'python');
  const suite = join(docs, 'tests', 'cookbooks');
  const install = ['-m', 'pip', 'install', '--quiet', '-r', join(suite, 'requirements.txt')];
  execFileSync(python, install, { stdio: 'inherit' });
  replaceIn(join(environment, 'lib'), [[CLOUD, url]], ['fishaudio', 'fish_audio_sdk']);
  return run(python, ['-m', 'pytest', suite, '-q'], { cwd: docs, env });
}

function runJavaScript(docs, env) {
  const suite = join(docs, 'tests', 'js');
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
  execFileSync('npm', ['install', ...options], { cwd: suite, stdio: 'inherit' });
  replaceIn(join(suite, 'node_modules', 'fish-audio'), [[CLOUD, url]]);
  return run(process.execPath, ['run.mjs'], { cwd: suite, env });
}

function run(command, args, options) {
  return spawnSync(command, args, { ...options, stdio: 'inherit', timeout: SUITE_TIMEOUT_MS }).status === 0;
}

/** Replaces texts in the source files of a folder; `within` limits that to files below folders of these names. */
function replaceIn(path, replacements, within) {
  for (const entry of readdirSync(path, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !/\.(py|js|mjs|cjs)$/.test(entry.name)) continue;
    if (within && !within.some((name) => entry.parentPath.split('/').includes(name))) continue;
    const file = join(entry.parentPath, entry.name);
    const before = readFileSync(file, 'utf8');
    const after = replacements.reduce((text, [from, to]) => text.replaceAll(from, to), before);
    if (after !== before) writeFileSync(file, after);
  }
}
