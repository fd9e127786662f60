// `npm run client-table`: calls clients of other services, unmodified and with the defaults of their constructors,
// against a real server, and writes the table of docs/guides/other-clients.md. Installs them once, in
// ~/.cache/mynah/test-clients. Fails when a row fails.

import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DIST, ROOT, setUp } from './setup.mjs';

const NPM = [
  'openai@6.49.0',
  '@elevenlabs/elevenlabs-js@2.73.0',
  'fish-audio@0.1.0',
  'ai@7.0.169',
  '@ai-sdk/openai@4.0.114',
  '@ai-sdk/elevenlabs@3.0.46',
  'ai-6@npm:ai@6.0.326',
  'ai-sdk-openai-of-6@npm:@ai-sdk/openai@3.0.139',
  'ai-sdk-elevenlabs-of-6@npm:@ai-sdk/elevenlabs@2.0.58',
  '@modelcontextprotocol/sdk@1.32.2',
];
const PYPI = [
  'fish-audio-sdk==1.3.0',
  'openai==3.49.0',
  'elevenlabs==2.77.0',
  'livekit-agents==1.8.9',
  'livekit-plugins-elevenlabs==1.8.9',
  'livekit-plugins-fishaudio==1.8.9',
  'livekit-plugins-openai==1.8.9',
  'pipecat-ai==1.14.0',
  'websockets==17.4',
  'wyoming==1.10.2',
];
const PAGE = join(ROOT, 'docs', 'guides', 'other-clients.md');
const BEGIN = '<!-- clients: written by `npm run client-table` -->';
const END = '<!-- end of clients -->';
const SENTENCE = 'The little boat came home at last, and nobody had seen it leave.';
const READY_MS = 180_000;

await setUp();
const npmFolder = installOnce('table-npm', NPM, (folder) => {
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
  execFileSync('npm', ['install', ...options, ...NPM], { cwd: folder, stdio: 'inherit' });
});
const pythonFolder = installOnce('table-python', PYPI, (folder) => {
  execFileSync('python3', ['-m', 'venv', '--copies', folder], { stdio: 'inherit' });
  const python = join(folder, 'bin', 'python');
  execFileSync(python, ['-m', 'pip', 'install', '--quiet', ...PYPI], { stdio: 'inherit' });
});

const data = mkdtempSync(join(tmpdir(), 'mynah-client-table-'));
const children = [];
try {
  const env = { ...process.env, MYNAH_DATA: data, PORT: '0', MYNAH_WORKERS: '1' };
  const url = await startAndFind(/http:\/\/[\d.]+:\d+/, [join(DIST, 'src', 'main.js')], env);
  const key = readFileSync(join(data, 'first-key'), 'utf8').trim();
  const recording = join(data, 'recording.wav');
  writeFileSync(recording, await speak(url, key));
  const cli = join(DIST, 'src', 'cli', 'main.js');
  const wyoming = await startAndFind(
    /tcp:\S+/,
    [cli, 'wyoming', '--server', url, '--key', key, '--port', '0'],
    env,
  );
  const sources = join(ROOT, 'server', 'test', 'clients', 'table');
  copyFileSync(join(sources, 'table.mjs'), join(npmFolder, 'table.mjs'));
  const rows = [
    ...run(process.execPath, [join(npmFolder, 'table.mjs'), url, key, recording, cli], npmFolder),
    ...run(
      join(pythonFolder, 'bin', 'python'),
      [join(sources, 'table.py'), url, key, wyoming, recording],
      data,
    ),
  ];
  writeTable(rows);
  for (const { client, operation, problem } of rows) if (problem) console.error(client, operation, problem);
  process.exitCode = rows.some(({ problem }) => problem) ? 1 : 0;
} finally {
  for (const child of children) child.kill('SIGINT');
  rmSync(data, { recursive: true, force: true });
}

/** Installs packages in the cache, unless they are there. */
function installOnce(kind, packages, install) {
  const digest = createHash('sha256').update(packages.join('\n')).digest('hex').slice(0, 12);
  const folder = join(homedir(), '.cache', 'mynah', 'test-clients', `${kind}-${digest}`);
  if (existsSync(folder)) return folder;
  mkdirSync(join(folder, '..'), { recursive: true });
  const temporary = `${folder}.${process.pid}`;
  install(temporary);
  renameSync(temporary, folder);
  return folder;
}

/** Starts a program, and resolves with the part of its output that matches. */
function startAndFind(pattern, args, env) {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  let output = '';
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${args[0]} is not ready.`)), READY_MS);
    child.stdout.on('data', (chunk) => {
      output += chunk;
      const found = pattern.exec(output)?.[0];
      if (found === undefined) return;
      clearTimeout(timer);
      resolve(found);
    });
    child.once('exit', () => reject(new Error(`${args[0]} ended: ${output}`)));
  });
}

async function speak(url, key) {
  const response = await fetch(`${url}/v1/tts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text: SENTENCE, format: 'wav', sample_rate: 24_000, seed: 1 }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return Buffer.from(await response.arrayBuffer());
}

/** Runs one program with rows as its output. */
function run(command, args, cwd) {
  const output = execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

function writeTable(rows) {
  const lines = rows.map(
    ({ client, version, operation, problem }) =>
      `| ${client} | ${version} | ${operation} | ${problem ? `no: ${problem.replaceAll(/[|\n]/g, ' ')}` : 'yes'} |`,
  );
  const table = ['| Client | Version | Operation | Passes |', '| --- | --- | --- | --- |', ...lines].join(
    '\n',
  );
  const [before, rest] = readFileSync(PAGE, 'utf8').split(BEGIN);
  writeFileSync(PAGE, `${before}${BEGIN}\n\n${table}\n\n${END}${rest.split(END)[1]}`);
}
