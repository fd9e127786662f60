import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { pack } from 'msgpackr';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { until } from '../../support/servers/real-server.ts';

let server: TestServer;
before(async () => {
  server = await startTestServer({ config: { asrUploadMaxBytes: 100_000, streamStallSeconds: 1 } });
});
after(() => server.close());

const RECORDING = Buffer.from('audio:hello there\nwho are you');

function form(fields: Record<string, string>, audio: Uint8Array | undefined = RECORDING): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  if (audio !== undefined) data.append('audio', new Blob([audio]), 'speech.wav');
  return data;
}

function send(
  body: FormData | Uint8Array,
  headers: Record<string, string> = {},
  query = '',
): Promise<Response> {
  const type: Record<string, string> =
    body instanceof FormData ? {} : { 'content-type': 'application/msgpack' };
  return server.call(`/v1/asr${query}`, { method: 'POST', body, headers: { ...type, ...headers } });
}

const PART_HEADERS = 'content-disposition: form-data; name="audio"; filename="a.wav"';

function sendRaw(body: string, boundary: string): Promise<Response> {
  return send(Buffer.from(body), { 'content-type': `multipart/form-data; boundary=${boundary}` });
}

async function filesLeft(): Promise<string[]> {
  const names = await readdir(join(server.dataFolder, 'uploads'), { recursive: true, withFileTypes: true });
  return names.filter((entry) => entry.isFile()).map(({ name }) => name);
}

const WORDS = ['hello', 'there', 'who', 'are', 'you'].map((text, index) => ({
  text,
  start: index / 2,
  end: index / 2 + 0.5,
  confidence: 0.9,
}));

const ENCODINGS = [
  [
    'a form',
    (fields: object) => form(Object.fromEntries(Object.entries(fields).map(([k, v]) => [k, String(v)]))),
  ],
  ['MessagePack', (fields: object) => pack({ audio: RECORDING, ...fields })],
  ['MessagePack with the audio last', (fields: object) => pack({ ...fields, audio: RECORDING })],
] as const;

for (const [name, encode] of ENCODINGS) {
  test(`a recording sent as ${name} is transcribed, with word times`, async () => {
    const response = await send(encode({ language: 'en', ignore_timestamps: false }));
    assert.equal(response.status, 200);
    const { request_id, ...body } = (await response.json()) as Record<string, unknown>;
    assert.deepEqual(body, {
      text: 'hello there who are you',
      duration: 2.5,
      segments: WORDS,
      language_code: 'en',
      language: 'English',
    });
    assert.equal(request_id, response.headers.get('x-request-id'));
    await until('the recording is removed', async () => (await filesLeft()).length === 0);
  });
}

const TIMESTAMPS = [
  [{}, 0],
  [{ ignore_timestamps: null }, 0],
  [{ ignore_timestamps: true }, 0],
  [{ ignore_timestamps: false }, 5],
] as const;
for (const [fields, count] of TIMESTAMPS) {
  test(`MessagePack ${JSON.stringify(fields)} gives ${count} words`, async () => {
    const response = await send(pack({ audio: RECORDING, language: null, diarize: null, ...fields }));
    assert.equal(((await response.json()) as { segments: unknown[] }).segments.length, count);
  });
}
for (const [value, count] of [
  ['true', 0],
  ['false', 5],
  ['0', 5],
  ['nonsense', 5],
] as const) {
  test(`ignore_timestamps=${value} in a form gives ${count} words`, async () => {
    const response = await send(form({ ignore_timestamps: value }));
    assert.equal(((await response.json()) as { segments: unknown[] }).segments.length, count);
  });
}

test('the model may be a field; the header takes precedence', async () => {
  assert.equal(
    (await send(form({ model: 'transcribe-1-pro' }))).headers.get('x-mynah-model'),
    'transcribe-1-pro',
  );
  const both = await send(form({ model: 'transcribe-1-pro' }), { model: 'transcribe-1' });
  assert.equal(both.headers.get('x-mynah-model'), 'transcribe-1');
});

test('hints reach the transcription, for every spelling of the language', async () => {
  for (const language of ['pt', 'pt-BR', 'Portuguese', 'por']) {
    await send(form({ language, prompt: 'Dear Ada,', vocabulary: 'Mynah, Kokoro', num_speakers: '2' }), {
      model: 'Transcribe-1-Pro',
    });
    const { path: _path, accountId: _accountId, ...request } = server.transcription.requests.at(-1)!;
    assert.deepEqual(request, {
      model: 'transcribe-1-pro',
      language: 'pt',
      prompt: 'Dear Ada,',
      vocabulary: ['Mynah', 'Kokoro'],
      channels: 'mix',
      speakers: { min: 2, max: 2 },
    });
  }
  await send(pack({ audio: RECORDING, vocabulary: ['Mynah', 'Kokoro'], channels: 'split' }), {
    model: 'whatever',
  });
  assert.equal(server.transcription.requests.at(-1)?.channels, 'split');
  assert.equal(server.transcription.requests.at(-1)?.model, 'transcribe-1');
  assert.deepEqual(server.transcription.requests.at(-1)?.vocabulary, ['Mynah', 'Kokoro']);
});

test('transcribe-1-pro diarizes unless `diarize` is false', async () => {
  const pro = { model: 'transcribe-1-pro' };
  const body = (await (await send(form({}), pro)).json()) as Record<string, unknown>;
  assert.equal(body.text, '<|speaker:0|>hello there<|speaker:1|>who are you');
  assert.deepEqual(body.speaker_turns, [
    { speaker: 'speaker:0', text: 'hello there', start: 0, end: 1 },
    { speaker: 'speaker:1', text: 'who are you', start: 1, end: 2.5 },
  ]);
  const plain = (await (await send(form({ diarize: 'false' }), pro)).json()) as Record<string, unknown>;
  assert.equal(plain.text, 'hello there who are you');
  assert.equal('speaker_turns' in plain, false);
});

const SRT = '1\n00:00:00,000 --> 00:00:02,500\nhello there who are you\n\n';
const VTT = 'WEBVTT\n\n00:00:00.000 --> 00:00:02.500\nhello there who are you\n\n';
const FORMATS = [
  ['text', 'text/plain', 'hello there who are you'],
  ['srt', 'application/x-subrip', SRT],
  ['vtt', 'text/vtt', VTT],
] as const;
for (const [format, type, text] of FORMATS) {
  test(`a transcript as ${format}, requested by name or by media type`, async () => {
    for (const response of [
      await send(form({ format })),
      await send(form({}), {}, `?format=${format}`),
      await send(pack({ audio: RECORDING }), { accept: type }),
    ]) {
      assert.equal(response.headers.get('content-type'), `${type}; charset=utf-8`);
      assert.equal(await response.text(), text);
    }
  });
}

test('the verbose format adds phrases with their words', async () => {
  const body = (await (await send(form({ format: 'verbose' }))).json()) as Record<string, unknown[]>;
  assert.deepEqual(body.phrases?.[0], {
    text: 'hello there',
    start: 0,
    end: 1,
    confidence: 0.9,
    language_code: 'en',
    words: WORDS.slice(0, 2),
  });
  assert.equal(body.segments?.length, 5);
});

test('progress and segments are sent as events during the transcription', async () => {
  const response = await send(form({}), { accept: 'text/event-stream' });
  assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  const events = (await response.text())
    .trim()
    .split('\n\n')
    .map((block) => block.split('\n').map((line) => line.replace(/^\w+: /, '')) as [string, string]);
  assert.deepEqual(
    events.map(([event]) => event),
    ['progress', 'segment', 'progress', 'segment', 'progress', 'finish'],
  );
  assert.equal(JSON.parse(events[3]![1]).text, 'who are you');
  assert.equal(JSON.parse(events.at(-1)![1]).text, 'hello there who are you');
});

test('a failure after the first event is an error event; an earlier one is an error response', async () => {
  server.transcription.failure = { line: 1, error: new Error('secret') };
  const midway = await (await send(form({}), { accept: 'text/event-stream' })).text();
  server.transcription.failure = undefined;
  assert.match(midway, /event: error\ndata: {"status":500,"message":"[^"]+","code":"internal"}/);
  const atOnce = await send(form({}, Buffer.from('RIFF')), { accept: 'text/event-stream' });
  assert.equal(atOnce.status, 400);
  assert.equal(atOnce.headers.get('x-fish-error-code'), 'invalid_audio');
});

const REFUSALS: readonly (readonly [string, () => Promise<Response>, number, string])[] = [
  ['no audio', () => send(new FormData()), 400, 'invalid_request'],
  ['no audio in MessagePack', () => send(pack({ language: 'en' })), 400, 'invalid_request'],
  ['audio that is text in MessagePack', () => send(pack({ audio: 'hello' })), 400, 'invalid_request'],
  ['bytes that are no audio', () => send(form({}, Buffer.from('hi'))), 400, 'invalid_audio'],
  ['an empty file', () => send(form({}, Buffer.alloc(0))), 400, 'invalid_audio'],
  ['an unknown language', () => send(form({ language: 'klingon' })), 400, 'language_not_supported'],
  ['an unknown format', () => send(form({ format: 'docx' })), 400, 'invalid_request'],
  [
    'two kinds of speaker counts',
    () => send(form({ num_speakers: '2', max_speakers: '3' })),
    400,
    'invalid_request',
  ],
  [
    'speakers without diarization',
    () => send(form({ num_speakers: '2', diarize: 'false' })),
    400,
    'invalid_request',
  ],
  ['more than the limit', () => send(form({}, Buffer.alloc(100_001))), 413, 'request_too_large'],
  [
    'more than the limit in MessagePack',
    () => send(pack({ audio: Buffer.alloc(100_001) })),
    413,
    'request_too_large',
  ],
  ['an announced 200 MB', () => announce(200e6), 413, 'request_too_large'],
  [
    'fields without end',
    () => send(pack({ prompt: 'x'.repeat(90_000).repeat(3), audio: RECORDING })),
    413,
    'request_too_large',
  ],
  ['truncated MessagePack', () => send(pack({ audio: RECORDING }).subarray(0, 20)), 400, 'invalid_body'],
  ['a MessagePack list', () => send(pack([RECORDING])), 400, 'invalid_body'],
  [
    'a broken form',
    () => send(Buffer.from('nonsense'), { 'content-type': 'multipart/form-data; boundary=x' }),
    400,
    'invalid_body',
  ],
  [
    'a form with a delimiter that has a suffix',
    () => sendRaw(`--XbX\r\n${PART_HEADERS}\r\n\r\nabc\r\n--XbXx\r\nrest\r\n--XbX--\r\n`, 'XbX'),
    400,
    'invalid_body',
  ],
  [
    'a part without a name',
    () => sendRaw(`--x\r\ncontent-disposition: form-data; filename="a"\r\n\r\nabc\r\n--x--\r\n`, 'x'),
    400,
    'invalid_body',
  ],
  [
    'a boundary of 300 characters',
    () => sendRaw(`--${'x'.repeat(300)}--\r\n`, 'x'.repeat(300)),
    400,
    'invalid_body',
  ],
  ['a form without a boundary', () => sendRaw('--x--', ''), 400, 'invalid_body'],
  [
    'a path in place of the audio',
    () => send(pack({ audio: { audio: { path: '/etc/hostname' } } })),
    400,
    'invalid_request',
  ],
  [
    'JSON',
    () => send(Buffer.from('{"audio": "aGk="}'), { 'content-type': 'application/json' }),
    415,
    'unsupported_media_type',
  ],
  ['no key', () => send(form({}), { authorization: '' }), 401, 'invalid_api_key'],
];
for (const [name, call, status, code] of REFUSALS) {
  test(`${name} is rejected with ${status} ${code}, and nothing is left on disk`, async () => {
    const response = await call();
    assert.equal(response.headers.get('x-fish-error-code'), code);
    assert.equal(response.status, status);
    await until('the recording is removed', async () => (await filesLeft()).length === 0);
  });
}

/** Sends headers with a Content-Length, and no body. */
function announce(bytes: number): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${server.url}/v1/asr`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${server.key}`,
        'content-type': 'application/msgpack',
        'content-length': bytes,
      },
    });
    request.on('response', (answer) => {
      request.destroy();
      resolve(
        new Response(null, { status: answer.statusCode!, headers: answer.headers as Record<string, string> }),
      );
    });
    request.on('error', reject);
    request.flushHeaders();
  });
}

test('a stalled upload is rejected, and its file is removed', async () => {
  const request = httpRequest(`${server.url}/v1/asr`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${server.key}`,
      'content-type': 'application/msgpack',
      'content-length': 50_000,
    },
  });
  request.on('error', () => {});
  const answered = new Promise<string | undefined>((resolve) =>
    request.on('response', ({ headers }) => resolve(headers['x-fish-error-code'] as string)),
  );
  request.write(pack({ audio: Buffer.alloc(49_000) }).subarray(0, 10_000));
  await until('the upload has begun', async () => (await filesLeft()).length === 1);
  assert.equal(await answered, 'body_timeout');
  request.destroy();
  await until('the recording is removed', async () => (await filesLeft()).length === 0);
});

test('when the client disconnects, the transcription stops and the recording is removed', async () => {
  server.transcription.msPerLine = 60_000;
  const abort = new AbortController();
  const leaving = server.call('/v1/asr', { method: 'POST', body: form({}), signal: abort.signal });
  await until('the work has begun', () => server.transcription.active === 1);
  assert.equal((await filesLeft()).length, 1);
  await delay(50);
  abort.abort();
  await assert.rejects(leaving);
  await until('the work has stopped', () => server.transcription.active === 0);
  await until('the recording is removed', async () => (await filesLeft()).length === 0);
  server.transcription.msPerLine = 0;
});

test('recordings above the concurrency limit of an account are queued', async () => {
  const narrow = await startTestServer({ config: { concurrencyMax: 1 } });
  try {
    narrow.transcription.msPerLine = 100;
    const transcribe = () => narrow.call('/v1/asr', { method: 'POST', body: form({}) });
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, narrow.transcription.active);
    }, 5);
    const answers = await Promise.all([transcribe(), transcribe(), transcribe()]);
    clearInterval(watch);
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers.get('ratelimit-limit-concurrency')]),
      [
        [200, '1'],
        [200, '1'],
        [200, '1'],
      ],
    );
    assert.equal(most, 1);
  } finally {
    await narrow.close();
  }
});
