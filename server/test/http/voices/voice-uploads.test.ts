import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { encodeWavFile } from '../../../src/audio/encode/wav.ts';
import type { ClipTranscriber } from '../../../src/domain/voices/voice-cloner.ts';
import { form, OTHER_RECORDING, RECORDING } from '../../support/calls/voice-forms.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { until } from '../../support/servers/real-server.ts';
import { synthesizeTalk } from '../../support/voices/synthetic-talk.ts';
import { RecordingCloner } from '../../support/workers/recording-cloner.ts';

const cloner = new RecordingCloner();
const transcriber: ClipTranscriber = {
  transcribe: () => transcript,
};
/** An empty transcript, unless a test replaces it. */
let transcript: ReturnType<ClipTranscriber['transcribe']> = Promise.resolve({
  text: '',
  language: undefined,
});
/** A server with time limits that a slow machine does not reach, and one with limits that tests reach. */
let preparations = 0;
let server: TestServer;
let impatient: TestServer;
before(async () => {
  const onMaking = () => {
    preparations++;
  };
  const voices = { cloner, transcriber, onMaking };
  const config = { voiceUploadMaxBytes: 3_000_000 };
  const limits = { streamStallSeconds: 1, voiceCreationMaxSeconds: 2 };
  server = await startTestServer({ voices, config: { ...config, voiceTrainingMaxSeconds: 1 } });
  impatient = await startTestServer({ voices, config: { ...config, ...limits } });
});
after(() => Promise.all([server.close(), impatient.close()]));

/** Number of uploads on disk. */
async function waiting(of = server): Promise<number> {
  const entries = await readdir(join(of.dataFolder, 'uploads'), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).length;
}
const untilGone = (of = server) => until('its files are gone', async () => (await waiting(of)) === 0);

async function post(fields: Parameters<typeof form>[0], headers: Record<string, string> = {}, to = server) {
  const response = await to.call('/model', { method: 'POST', headers, body: form(fields) });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

for (const { what, fields, status } of [
  { what: 'creates a voice', fields: { title: 'Ada', voices: [RECORDING, OTHER_RECORDING] }, status: 201 },
  { what: 'has no title', fields: { voices: RECORDING }, status: 422 },
  { what: 'has no audio', fields: { title: 'Ada', voices: Buffer.from('no sound at all') }, status: 400 },
  {
    what: 'is too large',
    fields: { title: 'Ada', voices: [Buffer.alloc(2_000_000), Buffer.alloc(2_000_000)] },
    status: 413,
  },
]) {
  test(`a form that ${what} leaves no upload on disk`, async () => {
    const { status: answered, body } = await post(fields);
    assert.equal(answered, status, JSON.stringify(body));
    await untilGone();
  });
}

test('recordings are on disk while the voice is created, and are stored unchanged with it', async () => {
  let seen = 0;
  cloner.onClone = async () => {
    seen = await waiting();
  };
  const { body } = await post({ title: 'Ada', voices: [RECORDING, OTHER_RECORDING] });
  cloner.onClone = undefined;
  assert.equal(seen, 2);
  const [first] = body.samples as { audio: string }[];
  const kept = await server.call(new URL(first!.audio).pathname);
  assert.deepEqual(Buffer.from(await kept.arrayBuffer()), RECORDING);
  await untilGone();
});

test('workers are prepared while a recording arrives, also if it is never complete', async () => {
  const prepared = preparations;
  const upload = request(`${server.url}/model`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${server.key}`,
      'content-type': 'multipart/form-data; boundary=b',
      'content-length': 1000,
    },
  });
  upload.on('error', () => {});
  upload.write('--b\r\ncontent-disposition: form-data; name="voices"; filename="a.wav"\r\n\r\nRIFF');
  await until('a preparation has begun', async () => preparations === prepared + 1);
  upload.destroy();
  await untilGone();
});

test('the files of an aborted or stalled upload are removed', async () => {
  const boundary = 'between';
  for (const isLeaving of [true, false]) {
    const at = isLeaving ? server : impatient;
    const upload = request(new URL('/model', at.url), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${at.key}`,
        'content-type': `multipart/form-data; boundary=${boundary}`,
        'transfer-encoding': 'chunked',
      },
    });
    const answered = new Promise<number | undefined>((resolve) => {
      upload.on('response', (response) => resolve(response.resume().statusCode));
      upload.on('error', () => resolve(undefined));
    });
    upload.write(
      `--${boundary}\r\ncontent-disposition: form-data; name="voices"; filename="a.wav"\r\n` +
        'content-type: audio/wav\r\n\r\n',
    );
    upload.write(RECORDING);
    if (isLeaving) {
      await until('it is on disk', async () => (await waiting(at)) === 1);
      upload.destroy();
    }
    assert.equal(await answered, isLeaving ? undefined : 408);
    await untilGone(at);
  }
});

/** Number of files of stored voices. */
async function keptFiles(of = server): Promise<number> {
  return (await of.storedFiles.list()).length;
}
const ownVoices = async (of = server) =>
  ((await (await of.call('/model?self=true')).json()) as { total: number }).total;

test('cloning that exceeds its time limit is rejected, and nothing is stored', async () => {
  cloner.onClone = () => new Promise(() => {});
  const made = await post({ title: 'Late', voices: RECORDING }, {}, impatient);
  const references = [{ audio: OTHER_RECORDING.toString('base64'), text: 'late' }];
  const spoken = await impatient.speak({ text: 'Hello.', references });
  cloner.onClone = undefined;
  assert.equal(made.status, 503, JSON.stringify(made.body));
  assert.match(made.body.message as string, /2 seconds/);
  assert.deepEqual([spoken.status, spoken.headers.get('x-fish-error-code')], [503, 'engine_unavailable']);
  assert.ok(Number(spoken.headers.get('retry-after')) > 0);
  await untilGone(impatient);
  assert.deepEqual([await keptFiles(impatient), await ownVoices(impatient)], [0, 0]);
});

test('a client that disconnects during cloning leaves no voice', async () => {
  const [files, voices] = [await keptFiles(), await ownVoices()];
  const client = new AbortController();
  let isCloned = false;
  cloner.onClone = async (signal) => {
    client.abort();
    // Cloning completes all the same: a worker may be past the point where it could stop.
    await until('the server notices', () => signal.aborted);
    isCloned = true;
  };
  const upload = server.call('/model', {
    method: 'POST',
    body: form({ title: 'Gone', voices: RECORDING }),
    signal: client.signal,
  });
  await assert.rejects(upload, { name: 'AbortError' });
  await until('cloning is complete', () => isCloned);
  cloner.onClone = undefined;
  await untilGone();
  assert.deepEqual([await keptFiles(), await ownVoices()], [files, voices]);
});

test('a voice is trained without transcripts if transcription does not finish', async () => {
  transcript = new Promise(() => {});
  const { status, body } = await post({ title: 'Unheard', train_mode: 'full', voices: RECORDING });
  assert.deepEqual([status, body.state], [201, 'training']);
  await until('it is trained', async () => {
    const voice = (await (await server.call(`/model/${body._id}`)).json()) as { state: string };
    return voice.state === 'trained';
  });
  transcript = Promise.resolve({ text: '', language: undefined });
});

test('the same recording with the same idempotency key creates one voice, another one is rejected', async () => {
  const headers = { 'idempotency-key': 'upload-1' };
  const fields = { title: 'Once', voices: RECORDING };
  const [first, again] = [await post(fields, headers), await post(fields, headers)];
  assert.deepEqual([first.status, again.status], [201, 201]);
  assert.equal(again.body._id, first.body._id);
  const wav = encodeWavFile({
    samples: synthesizeTalk({ seconds: 6, sampleRateHz: 16_000, seed: 3 }),
    sampleRateHz: 16_000,
  });
  const other = await post({ ...fields, voices: wav }, headers);
  assert.equal(other.status, 422, JSON.stringify(other.body));
  await untilGone();
});
