// `npm run client-table`: calls clients of other services, unmodified and with the defaults of their constructors,
// against a real server, and writes the table of docs/guides/other-clients.md. Installs them once, in
// ~/.cache/mynah/test-clients. Fails when a row fails.

import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildGoClient, installNpmClients, installPythonClients, PYTHON } from './client-packages.mjs';
import { DIST, ROOT, setUp } from './setup.mjs';

const SOURCES = join(ROOT, 'server', 'test', 'clients', 'table');
const PAGE = join(ROOT, 'docs', 'guides', 'other-clients.md');
const BEGIN = '<!-- clients: written by `npm run client-table` -->';
const END = '<!-- end of clients -->';
const SENTENCE = 'The little boat came home at last, and nobody had seen it leave.';
const READY_MS = 600_000;

await setUp();
const npmFolder = installNpmClients();
const goProgram = buildGoClient(join(SOURCES, 'table.go'));
const pythons = PYTHON.map(({ packages, modules }) => ({ python: installPythonClients(packages), modules }));

const data = mkdtempSync(join(tmpdir(), 'mynah-client-table-'));
const children = [];
try {
  const env = { ...process.env, MYNAH_DATA: data, PORT: '0', MYNAH_WORKERS: '1', MYNAH_LOG_LEVEL: 'warn' };
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
  copyFileSync(join(SOURCES, 'table.mjs'), join(npmFolder, 'table.mjs'));
  const pythonArgs = [join(SOURCES, 'table.py'), url, key, wyoming, recording];
  const rows = [
    ...run(process.execPath, [join(npmFolder, 'table.mjs'), url, key, recording, cli], npmFolder),
    ...run(goProgram, [url, key, recording], data),
    ...pythons.flatMap(({ python, modules }) => run(python, [...pythonArgs, ...modules], data)),
  ];
  writeTable(rows);
  for (const { client, operation, problem } of rows) if (problem) console.error(client, operation, problem);
  process.exitCode = rows.some(({ problem }) => problem) ? 1 : 0;
} finally {
  for (const child of children) child.kill('SIGINT');
  rmSync(data, { recursive: true, force: true });
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

/** Runs one program that prints a row as a JSON object on a line; libraries print other lines. */
function run(command, args, cwd) {
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
  const output = execFileSync(command, args, {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const lines = output.split('\n').filter((line) => line.startsWith('{"client"'));
  return lines.map((line) => JSON.parse(line));
}

function writeTable(rows) {
  const lines = rows.map(
    ({ client, version, operation, problem }) =>
      `| ${client} | ${version} | ${operation} | ${problem ? `no: ${problem.replaceAll(/[|\n]/g, ' ')}` : 'yes'} |`,
  );
  const table = ['| Client | Version | Operation | Passes |', '| --- | --- | --- | --- |', ...lines].join(
    '\n',
  );
  const passed = rows.filter(({ problem }) => !problem).length;
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
    cwd: ROOT,
    encoding: 'utf8',
  }).trim();
  const run = `Last run: ${new Date().toISOString().slice(0, 10)}, commit ${commit}, ${passed} of ${rows.length} operations pass.`;
  const [before, rest] = readFileSync(PAGE, 'utf8').split(BEGIN);
  writeFileSync(PAGE, `${before}${BEGIN}\n\n${run}\n\n${table}\n\n${END}${rest.split(END)[1]}`);
}
