import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ApiError } from '../../../src/errors.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { until } from '../../support/servers/real-server.ts';
import { ScriptedTranscription } from '../../support/workers/scripted-transcription.ts';

interface Job {
  readonly id: string;
  readonly status: string;
  readonly progress: number;
  readonly heard: number;
  readonly result: { readonly text: string; readonly segments: readonly unknown[] };
  readonly error: { readonly code: string } | null;
}

let dataFolder: string;
let server: TestServer;
before(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'mynah-jobs-'));
  server = await startTestServer({ dataFolder, config: { asrJobsMax: 2 } });
});
after(async () => {
  await server.close();
  await rm(dataFolder, { recursive: true });
});

const LINES = ['one two', 'three four', 'five six'];

async function submit(lines = LINES, fields: Record<string, string> = {}): Promise<Job> {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  body.append('audio', new Blob([`audio:${lines.join('\n')}`]), 'speech.wav');
  const response = await server.call('/v1/asr?async=true', { method: 'POST', body });
  assert.equal(response.status, 202, await response.clone().text());
  const job = (await response.json()) as Job;
  assert.equal(response.headers.get('location'), `/v1/asr/${job.id}`);
  return job;
}

async function look(id: string): Promise<Job> {
  const response = await server.call(`/v1/asr/${id}`);
  assert.equal(response.status, 200);
  return (await response.json()) as Job;
}

async function ended(id: string): Promise<Job> {
  await until('the job ends', async () => !['queued', 'running'].includes((await look(id)).status));
  return look(id);
}

async function keptRecordings(): Promise<string[]> {
  return server.storedFiles.listUploads();
}

test('a recording is transcribed in the background and its result stored, in every format', async () => {
  const { id, status } = await submit(LINES, { ignore_timestamps: 'false' });
  assert.ok(['queued', 'running'].includes(status));
  const job = await ended(id);
  assert.equal(job.status, 'finished');
  assert.equal(job.progress, 1);
  assert.equal(job.result.text, 'one two three four five six');
  assert.equal(job.result.segments.length, 6);
  const text = await server.call(`/v1/asr/${id}?format=text`);
  assert.equal(await text.text(), 'one two three four five six');
  const captions = await server.call(`/v1/asr/${id}`, { headers: { accept: 'text/vtt' } });
  assert.match(await captions.text(), /^WEBVTT\n\n00:00:00.000 --> /);
  await until('the recording is removed', async () => (await keptRecordings()).length === 0);
});

test('a client can follow a job with server-sent events until it is complete', async () => {
  server.transcription.msPerLine = 300;
  const { id } = await submit();
  const response = await server.call(`/v1/asr/${id}`, { headers: { accept: 'text/event-stream' } });
  const events = [...(await response.text()).matchAll(/event: (\w+)\ndata: (.*)/g)];
  server.transcription.msPerLine = 0;
  const segments = events.filter(([, event]) => event === 'segment');
  assert.deepEqual(
    segments.map(([, , data]) => JSON.parse(data!).text),
    LINES,
  );
  assert.equal(events.at(-1)?.[1], 'finish');
  assert.equal((JSON.parse(events.at(-1)![2]!) as Job).status, 'finished');
});

test('a cancelled job stops, keeps its partial result, and deletes its recording', async () => {
  server.transcription.msPerLine = 200;
  const { id } = await submit([...LINES, ...LINES]);
  await until('something was heard', async () => (await look(id)).result.text !== '');
  const response = await server.call(`/v1/asr/${id}`, { method: 'DELETE' });
  server.transcription.msPerLine = 0;
  assert.equal(((await response.json()) as Job).status, 'cancelled');
  await until('the work has stopped', () => server.transcription.active === 0);
  const job = await look(id);
  assert.equal(job.status, 'cancelled');
  assert.match(job.result.text, /^one two/);
  assert.deepEqual(await keptRecordings(), []);
});

test('a job that cannot be transcribed fails with the error of a synchronous request', async () => {
  const body = new FormData();
  body.append('audio', new Blob(['nothing']), 'speech.wav');
  const response = await server.call('/v1/asr?async=true', { method: 'POST', body });
  const job = await ended(((await response.json()) as Job).id);
  assert.equal(job.status, 'failed');
  assert.equal(job.error?.code, 'invalid_audio');
  await until('the recording is removed', async () => (await keptRecordings()).length === 0);
});

test('an engine failure is retried from the last stored position', async () => {
  server.transcription.failure = { line: 1, error: new ApiError('engine_failed', 'It died.') };
  const { id } = await submit();
  await until('it has failed once', async () => (await look(id)).result.text === 'one two');
  await until('it is given back', () => server.transcription.active === 0);
  server.transcription.failure = undefined;
  const job = await ended(id);
  assert.equal(job.result.text, 'one two three four five six');
  assert.equal(server.transcription.requests.at(-1)?.resume?.segments.length, 1);
});

test('jobs of other accounts and unknown jobs are not found', async () => {
  const { id } = await submit();
  await ended(id);
  const strangerKey = await server.createKeyFor('acc_other');
  for (const [path, key] of [
    [`/v1/asr/${id}`, strangerKey],
    ['/v1/asr/asr_0', server.key],
  ]) {
    for (const method of ['GET', 'DELETE']) {
      const response = await server.call(path!, { method, headers: { authorization: `Bearer ${key}` } });
      assert.equal(response.status, 404);
      assert.equal(response.headers.get('x-fish-error-code'), 'job_not_found');
    }
  }
  assert.equal((await look(id)).status, 'finished');
});

test('jobs above the limit are rejected and their recordings deleted', async () => {
  server.transcription.msPerLine = 60_000;
  const jobs = [await submit(), await submit()];
  const body = new FormData();
  body.append('audio', new Blob(['audio:one']), 'speech.wav');
  const response = await server.call('/v1/asr?async=true', { method: 'POST', body });
  assert.equal(response.status, 429);
  assert.ok(response.headers.get('retry-after'));
  for (const { id } of jobs) await server.call(`/v1/asr/${id}`, { method: 'DELETE' });
  server.transcription.msPerLine = 0;
  assert.deepEqual(await keptRecordings(), []);
});

test('a restart continues at the stored position and transcribes nothing twice', async () => {
  server.transcription.msPerLine = 200;
  const { id } = await submit([...LINES, ...LINES]);
  await until('something was heard', async () => (await look(id)).result.text !== '');
  await server.close();
  const transcription = new ScriptedTranscription();
  server = await startTestServer({ dataFolder, transcription });
  const job = await ended(id);
  assert.equal(job.result.text, [...LINES, ...LINES].join(' '));
  assert.ok((transcription.requests[0]?.resume?.segments.length ?? 0) > 0);
});

test('old results are deleted', async () => {
  const { id } = await submit();
  await ended(id);
  await server.close();
  server = await startTestServer({ dataFolder, config: { asrJobRetentionHours: 0 } });
  await until('the job is gone', async () => (await server.call(`/v1/asr/${id}`)).status === 404);
});
