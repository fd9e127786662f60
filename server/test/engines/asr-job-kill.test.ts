import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { countWordErrors } from '../../bench/word-errors.ts';
import { type RealServer, startRealServer, until } from '../support/servers/real-server.ts';

const TEXT = `The little boat came home at last, and nobody on the shore had seen it leave. She opened the window
because the room was warm, and a bird flew in from the garden. When the rain stopped, the children ran out to play in
the street. My brother bought seven green apples at the market near the old bridge. The teacher wrote a long letter to
her friend in the north, and waited all winter for an answer. On the hill above the town there is a house with a red
roof and a broken door. Every evening the old man walks his dog along the river and talks about the weather. The train
was late again, so we sat on a bench and ate our bread and cheese. Nobody knew who had painted the wall of the school
in such a bright yellow. In the morning the lake was so still that the mountains stood in it upside down.`;
/** Transcription workers have a low priority on a busy machine. */
const TRANSCRIPTION_TIMEOUT_MS = 300_000;
/** The next server waits for the end of the lease. */
const ENV = { MYNAH_ASR_JOB_LEASE_SECONDS: '2' };

interface Job {
  readonly id: string;
  readonly status: string;
  readonly heard: number;
  readonly result: { readonly text: string };
}

let dataFolder: string;
let server: RealServer;
before(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'mynah-killed-'));
  server = await startRealServer({ dataFolder, env: ENV });
});
after(async () => {
  await server.close();
  await rm(dataFolder, { recursive: true, force: true });
});

async function call(path: string, init: RequestInit = {}): Promise<Job> {
  const headers = { authorization: `Bearer ${server.key}` };
  const response = await fetch(`${server.url}${path}`, { ...init, headers });
  assert.ok(response.ok, `${response.status}`);
  return (await response.json()) as Job;
}

test('after a kill of the server a job continues from its stored segments', async () => {
  const speech = await server.speak({ text: TEXT, format: 'wav', sample_rate: 16_000 });
  const body = new FormData();
  body.append('audio', await speech.blob(), 'speech.wav');
  body.append('language', 'en');
  const { id } = await call('/v1/asr?async=true', { method: 'POST', body });
  const hasText = async () => (await call(`/v1/asr/${id}`)).result.text !== '';
  await until('the job has a segment', hasText, TRANSCRIPTION_TIMEOUT_MS);
  const before = await call(`/v1/asr/${id}`);
  assert.equal(before.status, 'running');
  server.process.kill('SIGKILL');
  await once(server.process, 'exit');

  server = await startRealServer({ dataFolder, env: ENV });
  const resumed = await call(`/v1/asr/${id}`);
  assert.ok(resumed.heard >= before.heard && before.heard > 0, `${before.heard}, ${resumed.heard}`);
  assert.ok(resumed.result.text.startsWith(before.result.text));
  const isFinished = async () => (await call(`/v1/asr/${id}`)).status === 'finished';
  await until('the job is finished', isFinished, TRANSCRIPTION_TIMEOUT_MS);
  const { result } = await call(`/v1/asr/${id}`);
  assert.ok(result.text.startsWith(before.result.text));
  const { errors, words } = countWordErrors(TEXT, result.text);
  assert.ok(errors <= words / 20, `${errors} of ${words} words: ${result.text}`);
  await until('the recording is deleted', async () => (await recordings()).length === 0);
});

function recordings(): Promise<string[]> {
  return readdir(join(dataFolder, 'uploads', 'kept'));
}
