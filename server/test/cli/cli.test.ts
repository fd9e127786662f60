import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sniffAudio } from '../../src/audio/sniff.ts';
import { COMMAND_WORDS } from '../../src/cli/commands/completion.ts';
import { type Finding, runDoctorCommand } from '../../src/cli/doctor/doctor.ts';
import { loadConfig } from '../../src/config/config.ts';
import { createApiKeys } from '../../src/domain/accounts/keys/api-keys.ts';
import { FIRST_ACCOUNT_ID } from '../../src/domain/accounts/keys/first-key.ts';
import { CATALOGUE } from '../../src/inference/models/catalogue/catalogue.ts';
import { createModelStore, type ModelStore } from '../../src/inference/models/store/model-store.ts';
import { openDatabase } from '../../src/infrastructure/sql/database.ts';
import { SqlKeyStore } from '../../src/infrastructure/sql/sql-key-store.ts';
import { makeCatalogue } from '../support/models/test-catalogue.ts';
import { CLI, OWN_ENGINE, runMynah, runMynahInProcess, startMynah } from '../support/servers/command-line.ts';
import { startTestServer, type TestServer } from '../support/servers/http-server.ts';
import { until } from '../support/servers/real-server.ts';
import { voicesOf } from '../support/workers/tone-speech.ts';

/** Runs the command line with these settings only. */
const mynah = (args: readonly string[], env: Record<string, string> = {}, input?: string) =>
  runMynahInProcess(args, { MYNAH_DATA: folder, ...env }, input);

let folder: string;
let server: TestServer;
/** Settings for commands that work through the server. */
let remote: Record<string, string>;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mynah-cli-'));
  server = await startTestServer();
  remote = { MYNAH_DATA: folder, MYNAH_BASE_URL: server.url, MYNAH_API_KEY: server.key };
});
after(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

test('say writes a file without a server', async () => {
  const path = join(folder, 'hello.mp3');
  const env = { MYNAH_DATA: folder, ...OWN_ENGINE };
  const { status, stderr } = await runMynah(['say', 'Hello there.', '-o', path], env);
  assert.equal(status, 0, stderr);
  assert.equal(sniffAudio(await readFile(path)), 'mp3');
  assert.ok(!(await readdir(folder)).some((name) => name.endsWith('.part')));
});

test('say requests the format of the extension', async () => {
  for (const format of ['mp3', 'wav', 'opus']) {
    const { status, stderr } = await mynah(['say', 'x', '-o', join(folder, `x.${format}`)], remote);
    assert.equal(status, 0, stderr);
    assert.equal(server.speech.requests.at(-1)?.format, format);
  }
});

test('say reads standard input, and writes to standard output through a server', async () => {
  const args = ['say', '-o', '-', '--format', 'pcm', '--voice', 'bf_emma'];
  const outcome = await runMynah(args, remote, 'five!\n');
  assert.equal(outcome.status, 0, outcome.stderr);
  assert.equal(outcome.stdout.length, 2 * Math.floor(5 * 0.05 * 44_100));
  const request = server.speech.requests.at(-1);
  assert.deepEqual([request?.text, request?.model], ['five!', 's1']);
  assert.deepEqual(
    [request?.voice].flat().map((voice) => voice?.name),
    ['bf_emma'],
  );
});

test('say warns when another model speaks than the one that was asked for', async () => {
  const warningsOf = async (model: string) => {
    const args = ['say', 'x', '--model', model, '-o', join(folder, 'model.mp3')];
    const { status, stderr } = await mynah(args, remote);
    assert.equal(status, 0, stderr);
    return stderr;
  };
  assert.match(await warningsOf('s3-nope'), /^Warning: there is no model “s3-nope”; .* s2\.1-pro\.\n$/);
  for (const known of ['s1', 'S2 Pro', 's2', 'fish-audio/s2.1']) assert.equal(await warningsOf(known), '');
});

test('convert speaks a recording with another voice', async () => {
  const recording = join(folder, 'recording.wav');
  await writeFile(recording, 'audio:one two');
  const output = join(folder, 'converted.wav');
  const args = ['convert', recording, '-o', output, '--voice', 'bf_emma', '--no-keep-pitch'];
  const { status, stderr } = await mynah(args, remote);
  assert.equal(status, 0, stderr);
  assert.equal(sniffAudio(await readFile(output)), 'wav');
  assert.equal(voicesOf(server.speech.requests.at(-1))[0]?.name, 'bf_emma');
  assert.equal(server.transcription.requests.at(-1)?.wantsPitch, false);
  for (const wrong of [[], [recording], [recording, '-o', 'x.txt'], [recording, recording, '-o', output]]) {
    assert.equal((await mynah(['convert', ...wrong], remote)).status, 2);
  }
  const missing = await mynah(['convert', join(folder, 'missing.wav'), '-o', output], remote);
  assert.equal(missing.status, 1);
});

test('say aborts the request when its standard output is closed', async () => {
  const child = startMynah(['say', '-o', '-', '--format', 'pcm'], remote);
  let stderr = '';
  child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin!.end('long '.repeat(20_000));
  child.stdout!.once('data', () => child.stdout!.destroy());
  assert.equal(await new Promise((resolve) => child.once('exit', resolve)), 130, stderr);
  await until('the server stops', () => server.speech.active === 0);
});

test('say fails with a message and leaves no file', async () => {
  const path = join(folder, 'nobody.mp3');
  const unknown = await mynah(['say', 'x', '--voice', 'nobody', '-o', path], remote);
  assert.equal(unknown.status, 1);
  assert.match(unknown.stderr, /^There is no voice “nobody”\. .*mynah voices/);
  const similar = await mynah(['say', 'x', '--voice', 'af_hart', '-o', path], remote);
  assert.match(similar.stderr, /^There is no voice “af_hart”\. Did you mean `af_heart`\? .*mynah voices/);
  const badKey = await mynah(['say', 'x', '-o', path], { ...remote, MYNAH_API_KEY: 'wrong' });
  assert.equal(badKey.status, 1);
  assert.match(badKey.stderr, /Invalid Token/);
  assert.ok(!(await readdir(folder)).some((name) => name.startsWith('nobody')));
  for (const args of [
    ['--speed', '9', 'x'],
    ['--format', 'exe', 'x'],
    ['--loud'],
    ['-o', path, ''],
    ['-o', path, ' ', '\n'],
  ]) {
    assert.equal((await mynah(['say', ...args], remote)).status, 2, args.join(' '));
  }
});

/** A folder with the default models only: doctor verifies the hashes of all installed ones, which takes ten seconds. */
async function linkDefaultModels(): Promise<string> {
  const { config } = loadConfig(process.env);
  const models = join(folder, 'models');
  await mkdir(models, { recursive: true });
  for (const { id } of CATALOGUE.models.filter(({ isDefault }) => isDefault)) {
    await symlink(join(config.modelsFolder, id), join(models, id));
  }
  return models;
}

/** The checks of `mynah doctor` with these settings, and with another store of models. */
async function examine(
  env: Record<string, string>,
  store: ModelStore = createModelStore({ root: folder, sources: [], catalogue: makeCatalogue() }),
): Promise<[number, Finding[]]> {
  let stdout = '';
  const settings = { MYNAH_DATA: folder, PORT: '0', PATH: process.env.PATH, ...env };
  const status = await runDoctorCommand(['--json'], {
    config: loadConfig(settings).config,
    env: settings,
    store,
    stdout: { write: (text) => (stdout += text) },
    stderr: process.stderr,
  });
  return [status, JSON.parse(stdout) as Finding[]];
}

test('the help of a command names the command', async () => {
  for (const name of ['serve', 'doctor', 'keys', 'say']) {
    const { status, stdout } = await runMynah([name, '--help'], {});
    assert.equal(status, 0);
    assert.match(stdout.toString(), new RegExp(`^Usage: mynah ${name}`));
  }
});

test('doctor finds no problem on a complete installation', async () => {
  const env = { MYNAH_DATA: folder, PORT: '0', MYNAH_MODELS: await linkDefaultModels() };
  const { status, stdout } = await runMynah(['doctor', '--json'], env);
  const findings = JSON.parse(stdout.toString()) as Finding[];
  assert.equal(status, 0, JSON.stringify(findings));
  assert.ok(findings.some(({ what }) => what === 'Model kokoro-voices'));
});

test('doctor finds a missing model, a port in use, a read-only folder, a full disk and an expired key, each with its fix', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  t.after(() => other.close());
  const PORT = String((other.address() as AddressInfo).port);
  const faults = [
    {
      env: {},
      store: createModelStore({ root: join(folder, 'no-models'), sources: [] }),
      what: 'Model kokoro-voices',
      found: /^missing$/,
      fix: /mynah models pull kokoro-voices/,
    },
    { env: { PORT }, what: `Port ${PORT}`, found: /another program/, fix: /PORT/ },
    {
      env: { MYNAH_DATA: join(CLI, 'data') },
      what: 'Data folder',
      found: /not writable/,
      fix: /MYNAH_DATA/,
    },
    {
      env: { MYNAH_DISK_FREE_MIN_MB: '1000000000' },
      what: 'Disk',
      found: /^only .* free for /,
      fix: /Free .* MYNAH_DATA and MYNAH_MODELS/,
    },
    {
      env: { MYNAH_API_KEY: await expiredKey() },
      what: 'API key',
      found: /^expired$/,
      fix: /mynah keys create/,
    },
  ];
  for (const { env, store, what, found, fix } of faults) {
    const [status, findings] = await examine(env as Record<string, string>, store);
    assert.equal(status, 1, what);
    const problems = findings.filter(({ state }) => state === 'problem');
    const finding = problems.find((problem) => problem.what === what);
    assert.match(finding?.found ?? '', found, what);
    assert.match(finding?.fix ?? '', fix);
    // There is no other problem, except for the other models of an empty folder.
    assert.ok(problems.every((problem) => problem.what === what || problem.what.startsWith('Model ')));
  }
});

test('doctor distinguishes accepted, revoked, mistyped and unknown keys', async () => {
  const created = await mynah(['keys', 'create', '--create', '--days', '1']);
  assert.equal(created.status, 0, created.stderr);
  const key = created.stdout.toString().trim();
  const verdict = async (given: string) =>
    (await examine({ MYNAH_API_KEY: given }))[1].find(({ what }) => what === 'API key')?.found;
  assert.equal(await verdict(key), 'accepted');
  assert.equal(await verdict(`${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`), 'wrong secret');
  await mynah(['keys', 'revoke', key.slice(0, 16)]);
  assert.equal(await verdict(key), 'revoked');
  assert.equal(await verdict('mynah_0000000000_00000000000000000000000000000000'), 'unknown');
});

async function expiredKey(): Promise<string> {
  const db = await openDatabase(join(folder, 'mynah.db'));
  try {
    const store = new SqlKeyStore(db);
    await store.ensureAccount({ id: FIRST_ACCOUNT_ID, name: 'First account', createdAtMs: Date.now() });
    const keys = createApiKeys({ store });
    const input = { accountId: FIRST_ACCOUNT_ID, name: 'old', expiresAtMs: Date.now() - 1000 };
    return (await keys.create(input)).key;
  } finally {
    await db.destroy();
  }
}

test('completion has every command with its options, for every shell', async () => {
  const { stdout } = await mynah(['--help']);
  const commands = [...stdout.toString().matchAll(/^ {2}([a-z]+)\b/gm)].map((match) => match[1]!);
  assert.deepEqual(commands.sort(), Object.keys(COMMAND_WORDS).sort());
  // The settings of the server are too many for completion.
  for (const command of commands.filter((name) => name !== 'serve')) {
    const help = (await mynah([command, '--help'])).stdout.toString();
    const options = new Set(['--help', ...help.matchAll(/--[a-z][a-z-]*/g)].map(String));
    const offered = COMMAND_WORDS[command]!.filter((word) => word.startsWith('--'));
    assert.deepEqual(offered.sort(), [...options].sort(), command);
  }
  const bash = await mynah(['completion', 'bash']);
  const check = spawn('bash', ['-n'], { stdio: ['pipe', 'ignore', 'inherit'] });
  check.stdin.end(bash.stdout);
  assert.equal(await new Promise((resolve) => check.once('close', resolve)), 0);
  assert.equal((await mynah(['completion', 'cmd'])).status, 2);
});

test('say fails when the stream breaks midway, and leaves no file', async (t) => {
  const broken = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'audio/mpeg' });
    response.write(Buffer.alloc(5000), () => response.destroy());
  });
  await new Promise<void>((resolve) => broken.listen(0, '127.0.0.1', resolve));
  t.after(() => broken.close());
  const env = {
    MYNAH_BASE_URL: `http://127.0.0.1:${(broken.address() as AddressInfo).port}`,
    MYNAH_API_KEY: 'x',
  };
  const toFile = await mynah(['say', 'x', '-o', join(folder, 'cut.mp3')], env);
  assert.equal(toFile.status, 1);
  assert.match(toFile.stderr, /connection/);
  assert.ok(!(await readdir(folder)).some((name) => name.startsWith('cut')));
  assert.equal((await mynah(['say', 'x', '-o', '-'], env)).status, 1);
});
