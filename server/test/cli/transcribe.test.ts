import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { OWN_ENGINE, runMynah, runMynahInProcess, startMynah } from '../support/servers/command-line.ts';
import { startTestServer, type TestServer } from '../support/servers/http-server.ts';
import { until } from '../support/servers/real-server.ts';

/** Maximum wait for an engine to load and to transcribe, on a slow machine. */
const ENGINE_WAIT_MS = 300_000;

let folder: string;
let server: TestServer;
/** Settings for commands that work through the server, which reads recordings that are plain text. */
let remote: Record<string, string>;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mynah-transcribe-'));
  server = await startTestServer();
  remote = { MYNAH_DATA: folder, MYNAH_BASE_URL: server.url, MYNAH_API_KEY: server.key };
  await writeFile(join(folder, 'one.wav'), 'audio:hello there\nold friend');
  await writeFile(join(folder, 'two.wav'), 'audio:good bye');
  await writeFile(join(folder, 'noise.wav'), 'not audio');
});
after(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

const transcribe = (...args: string[]) => runMynahInProcess(['transcribe', ...args], remote);

test('a recording is transcribed by a server, in every format', async () => {
  const one = join(folder, 'one.wav');
  const text = await transcribe(one);
  assert.equal(text.status, 0, text.stderr);
  assert.equal(text.stdout.toString(), 'hello there old friend\n');

  const srt = (await transcribe(one, '--srt')).stdout.toString();
  assert.match(srt, /^1\n00:00:00,000 --> 00:00:0\d,\d{3}\nhello there/);
  const vtt = (await transcribe(one, '--vtt')).stdout.toString();
  assert.match(vtt, /^WEBVTT\n\n/);

  const json = JSON.parse((await transcribe(one, '--json')).stdout.toString());
  assert.deepEqual([json.file, json.duration, json.language_code], [one, 2, 'en']);
  assert.deepEqual(json.segments[2], { text: 'old', start: 1, end: 1.5, confidence: 0.9 });
});

test('a recording can be read from standard input', async () => {
  const { status, stdout, stderr } = await runMynahInProcess(
    ['transcribe', '-', '--json'],
    remote,
    'audio:good bye',
  );
  assert.equal(status, 0, stderr);
  const { file, text } = JSON.parse(stdout.toString());
  assert.deepEqual([file, text], ['-', 'good bye']);
});

test('the model with diarization returns speakers', async () => {
  const { stdout } = await transcribe(join(folder, 'one.wav'), '--model', 'transcribe-1-pro', '--json');
  const { speaker_turns } = JSON.parse(stdout.toString());
  assert.deepEqual(
    speaker_turns.map((turn: { speaker: string; text: string }) => [turn.speaker, turn.text]),
    [
      ['speaker:0', 'hello there'],
      ['speaker:1', 'old friend'],
    ],
  );
});

test('several recordings are written to a folder, and an invalid one does not stop the others', async () => {
  const files = ['one.wav', 'noise.wav', 'missing.wav', 'two.wav'].map((name) => join(folder, name));
  const output = join(folder, 'captions');
  const { status, stderr } = await transcribe(...files, '--srt', '-o', output);
  assert.equal(status, 1);
  assert.match(stderr, /noise\.wav: .*not audio/i);
  assert.match(stderr, /^\S+missing\.wav does not exist\.$/m);
  assert.deepEqual((await readdir(output)).sort(), ['one.srt', 'two.srt']);
  const lines = (await transcribe(files[0]!, files[3]!, '--json')).stdout.toString().trim().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).text),
    ['hello there old friend', 'good bye'],
  );
});

test('one recording is written to a folder too, if it exists', async () => {
  const output = await mkdtemp(join(folder, 'texts-'));
  const { status } = await transcribe(join(folder, 'one.wav'), '-o', output);
  assert.equal(status, 0);
  assert.deepEqual(await readdir(output), ['one.txt']);
});

const WRONG = [
  [],
  ['a.wav', '--srt', '--vtt'],
  ['a.wav', 'b.wav', '--srt'],
  ['a.wav', 'x/a.mp3', '-o', 'out'],
  ['a.wav', '--watch', '.'],
  ['a.wav', '--model', 'loud'],
];
for (const args of WRONG) {
  test(`mynah transcribe ${args.join(' ')} is wrong usage`, async () => {
    const { status, stderr } = await transcribe(...args);
    assert.equal(status, 2, stderr);
    assert.match(stderr, /Usage: mynah transcribe/);
  });
}

test('transcribe fails when the server stops midway, and leaves no file', async (t) => {
  const other = await startTestServer();
  t.after(() => other.close());
  other.transcription.msPerLine = 60_000;
  const target = join(folder, 'cut.txt');
  const running = runMynahInProcess(['transcribe', join(folder, 'one.wav'), '-o', target], {
    ...remote,
    MYNAH_BASE_URL: other.url,
    MYNAH_API_KEY: other.key,
  });
  await until('the transcription starts', () => other.transcription.active === 1);
  await other.close();
  const { status, stderr } = await running;
  assert.equal(status, 1);
  assert.match(stderr, /connection|ended/i);
  assert.ok(!(await readdir(folder)).some((name) => name.startsWith('cut')));
});

test('watching a folder without a server writes captions for every recording', async (t) => {
  const watched = await mkdtemp(join(folder, 'watched-'));
  const env = { MYNAH_DATA: folder, ...OWN_ENGINE };
  const first = join(watched, 'first.mp3');
  const said = await runMynah(['say', 'Good morning, everybody.', '-o', first], env);
  assert.equal(said.status, 0, said.stderr);
  await writeFile(join(watched, 'notes.md'), 'not a recording');
  const watcher = startMynah(['transcribe', '--watch', watched, '--srt'], env);
  t.after(() => watcher.kill('SIGKILL'));
  const ended = new Promise((resolve) => watcher.once('exit', resolve));
  const has = async (name: string) => (await readdir(watched)).includes(name);
  await until('the first is written down', () => has('first.srt'), ENGINE_WAIT_MS);
  await copyFile(first, join(watched, 'second.mp3'));
  await until('the second is written down', () => has('second.srt'), ENGINE_WAIT_MS);
  for (const name of ['first.srt', 'second.srt']) {
    assert.match(await readFile(join(watched, name), 'utf8'), /good morning/i);
  }
  watcher.kill('SIGINT');
  assert.equal(await ended, 130);
  assert.deepEqual((await readdir(watched)).sort(), [
    'first.mp3',
    'first.srt',
    'notes.md',
    'second.mp3',
    'second.srt',
  ]);
});
