import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { RECORDING } from '../support/calls/voice-forms.ts';
import { NO_LOCAL_SERVER, runMynahInProcess } from '../support/servers/command-line.ts';
import { startTestServer, type TestServer } from '../support/servers/http-server.ts';
import { RecordingCloner } from '../support/workers/recording-cloner.ts';

let folder: string;
let server: TestServer;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mynah-voices-'));
  server = await startTestServer({ voices: { cloner: new RecordingCloner() } });
});
after(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

const voices = (...args: string[]) =>
  runMynahInProcess(['voices', ...args, '--server', server.url, '--key', server.key], {
    MYNAH_DATA: folder,
  });
const voicesWithoutServer = (...args: string[]) =>
  runMynahInProcess(['voices', ...args], { MYNAH_DATA: folder, ...NO_LOCAL_SERVER });

test('a voice is created from a recording, listed, printed and deleted with a server', async () => {
  const recording = join(folder, 'ada.wav');
  await writeFile(recording, RECORDING);
  const created = await voices('create', '--title', 'Ada', '--text', 'What is said.', recording);
  assert.equal(created.status, 0, created.stderr);
  const id = created.stdout.toString().trim();
  assert.match(id, /^[0-9a-f]{32}$/);

  const mine = JSON.parse((await voices('list', '--mine', '--json')).stdout.toString());
  assert.deepEqual(
    mine.map((voice: { _id: string; title: string; state: string }) => [voice._id, voice.title, voice.state]),
    [[id, 'Ada', 'trained']],
  );
  assert.match((await voices('get', id)).stdout.toString(), /^Name +-\nTitle +Ada\n/);
  assert.equal((await voices('delete', id)).stdout.toString(), `${id}  deleted\n`);
  const gone = await voices('get', id);
  assert.equal(gone.status, 1);
  assert.match(gone.stderr, /not found|no voice/i);
});

test('the voices of the installation are listed with their names, with and without a server', async () => {
  for (const run of [voices, voicesWithoutServer]) {
    const { status, stdout, stderr } = await run('--language', 'ja');
    assert.equal(status, 0, stderr);
    assert.match(stdout.toString(), /^NAME +TITLE.*\n(j[fm]_\w+ .*\n)+$/);
    const [shown] = JSON.parse((await run('list', '--title', 'heart', '--json')).stdout.toString());
    assert.equal(shown.name, 'af_heart');
    assert.equal(JSON.parse((await run('get', 'af_heart', '--json')).stdout.toString())._id, shown._id);
  }
});

test('commands that need a server fail without one, and wrong usage prints the help', async () => {
  const recording = join(folder, 'ada.wav');
  await writeFile(recording, RECORDING);
  const refused = await voicesWithoutServer('create', '--title', 'Ada', recording);
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /mynah serve/);
  assert.equal((await voicesWithoutServer('get', 'nobody')).status, 1);
  for (const args of [['make'], ['get'], ['create', recording], ['list', 'x'], ['delete', 'a', 'b']]) {
    const { status, stderr } = await voices(...args);
    assert.equal(status, 2, args.join(' '));
    assert.match(stderr, /Usage: mynah voices/);
  }
});
