import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pack } from 'msgpackr';
import type { SpeechRequest } from '../../../src/domain/speech/speech-service.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { voicesOf } from '../../support/workers/tone-speech.ts';

let server: TestServer;
before(async () => {
  server = await startTestServer();
});
after(() => server.close());

/** Sends the body and returns the request of the speech service. */
async function asked(
  body: Record<string, unknown>,
  headers?: Record<string, string>,
): Promise<SpeechRequest> {
  const response = await server.speak(body, headers);
  assert.equal(response.status, 200, await response.clone().text());
  await response.arrayBuffer();
  return server.speech.requests.at(-1)!;
}

const DEFAULTS = {
  text: 'hello',
  accountId: 'acc_first',
  model: 's2.1-pro',
  voice: undefined,
  format: 'mp3',
  sampleRateHz: undefined,
  mp3BitrateKbps: 128,
  opusBitrateBps: 'auto',
  speed: 1,
  volumeDb: 0,
  normalizeLoudness: true,
  normalize: true,
  chunkLength: 300,
  minChunkLength: 50,
  latency: 'normal',
  conditionOnPreviousChunks: true,
  temperature: 0.7,
  seed: undefined,
  language: undefined,
};

test('a request with only a text has the defaults of the API', async () => {
  const { requestId, receivedAtMs, ...request } = await asked({ text: 'hello' });
  assert.match(requestId, /^[0-9a-f]{32}$/);
  assert.ok(Number.isFinite(receivedAtMs));
  assert.deepEqual(request, DEFAULTS);
});

const OPTIONAL =
  `reference_id references prosody temperature top_p repetition_penalty max_new_tokens chunk_length
  min_chunk_length condition_on_previous_chunks early_stop_threshold normalize format sample_rate mp3_bitrate
  opus_bitrate latency features pronunciation_dictionary seed language streaming use_memory_cache`.split(
    /\s+/,
  );

test('null is equivalent to an absent field, in JSON and in MessagePack', async () => {
  const body = { text: 'hello', ...Object.fromEntries(OPTIONAL.map((name) => [name, null])) };
  const { requestId: _, receivedAtMs: __, ...fromJson } = await asked(body);
  assert.deepEqual(fromJson, DEFAULTS);

  const headers = { 'content-type': 'application/msgpack' };
  const response = await server.call('/v1/tts', { method: 'POST', headers, body: pack(body) });
  assert.equal(response.status, 200);
  await response.arrayBuffer();
  const { requestId: ___, receivedAtMs: ____, ...fromMsgpack } = server.speech.requests.at(-1)!;
  assert.deepEqual(fromMsgpack, DEFAULTS);
});

test('nulls inside prosody give its defaults', async () => {
  const request = await asked({
    text: 'hello',
    prosody: { speed: null, volume: null, normalize_loudness: null },
  });
  assert.equal(request.speed, 1);
  assert.equal(request.volumeDb, 0);
  assert.equal(request.normalizeLoudness, true);
});

test('every field reaches the speech service', async () => {
  const {
    requestId: _,
    receivedAtMs: __,
    voice,
    ...request
  } = await asked(
    {
      text: 'hello',
      reference_id: 'bf_emma',
      references: [],
      prosody: { speed: 1.5, volume: -3, normalize_loudness: false },
      temperature: 0.2,
      chunk_length: 200,
      min_chunk_length: 0,
      condition_on_previous_chunks: false,
      normalize: false,
      format: 'wav',
      sample_rate: 8000,
      latency: 'low',
      seed: 42,
      language: 'en',
      features: ['quality-guard'],
      streaming: true,
      use_memory_cache: 'on',
    },
    { model: 'S1' },
  );
  assert.equal(voicesOf({ voice })[0]?.name, 'bf_emma');
  const { voice: _default, ...defaults } = DEFAULTS;
  assert.deepEqual(request, {
    ...defaults,
    model: 's1',
    speed: 1.5,
    volumeDb: -3,
    normalizeLoudness: false,
    temperature: 0.2,
    chunkLength: 200,
    minChunkLength: 0,
    conditionOnPreviousChunks: false,
    normalize: false,
    format: 'wav',
    sampleRateHz: 8000,
    latency: 'low',
    seed: 42,
    language: 'en-US',
  });
});

const BITRATES = [
  [{ mp3_bitrate: 64 }, { mp3BitrateKbps: 64 }],
  [{ mp3_bitrate: 192_000 }, { mp3BitrateKbps: 192 }],
  [{ opus_bitrate: 32 }, { opusBitrateBps: 32_000 }],
  [{ opus_bitrate: 64_000 }, { opusBitrateBps: 64_000 }],
  [{ opus_bitrate: -1000 }, { opusBitrateBps: 'auto' }],
  [
    { format: 'pcm', opus_bitrate: 24, mp3_bitrate: 128 },
    { opusBitrateBps: 24_000, mp3BitrateKbps: 128 },
  ],
] as const;
for (const [given, expected] of BITRATES) {
  test(`${JSON.stringify(given)} is accepted in either unit`, async () => {
    const request = await asked({ text: 'hello', ...given });
    for (const [name, value] of Object.entries(expected))
      assert.equal(request[name as keyof SpeechRequest], value);
  });
}

test('temperature and volume are clamped to their range, with a warning header', async () => {
  const response = await server.speak({ text: 'hello', temperature: 2, prosody: { volume: -99 } });
  await response.arrayBuffer();
  assert.equal(
    response.headers.get('x-mynah-warning'),
    'temperature was clamped to 0..1; prosody.volume was clamped to -20..20',
  );
  const request = server.speech.requests.at(-1)!;
  assert.equal(request.temperature, 1);
  assert.equal(request.volumeDb, -20);
  assert.equal((await server.speak({ text: 'hello' })).headers.has('x-mynah-warning'), false);
});

const CONTENT_TYPES = [
  ['mp3', 'audio/mpeg'],
  ['wav', 'audio/wav'],
  ['pcm', 'audio/pcm'],
  ['opus', 'audio/ogg'],
  ['flac', 'audio/flac'],
] as const;
for (const [format, type] of CONTENT_TYPES) {
  test(`${format} is sent as ${type}, chunked and uncompressed`, async () => {
    const response = await server.speak(
      { text: 'hello', format },
      { 'accept-encoding': 'gzip, deflate, br' },
    );
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), type);
    assert.equal(response.headers.get('content-length'), null);
    assert.equal(response.headers.get('content-encoding'), null);
    assert.equal(response.headers.get('transfer-encoding'), 'chunked');
    await response.arrayBuffer();
  });
}

test('the response headers have the model, the engine and the voice', async () => {
  const response = await server.speak({ text: 'hello', reference_id: 'emma' }, { model: 'no-such-model' });
  await response.arrayBuffer();
  assert.equal(response.headers.get('x-mynah-model'), 's2.1-pro');
  assert.equal(response.headers.get('x-mynah-engine'), 'tone');
  assert.equal(response.headers.get('x-mynah-voice'), 'bf_emma');
});

test('a path with two slashes and a list with one voice are accepted', async () => {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ text: 'hello', reference_id: ['am_puck'] });
  const response = await server.call('//v1/tts', { method: 'POST', headers, body });
  assert.equal(response.status, 200);
  await response.arrayBuffer();
  assert.deepEqual(
    voicesOf(server.speech.requests.at(-1)).map(({ name }) => name),
    ['am_puck'],
  );
});

test('an empty voice id means the default voice', async () => {
  assert.equal((await asked({ text: 'hello', reference_id: '' })).voice, undefined);
});

test('a valid traceparent gives the trace id of the response and the request', async () => {
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
  const response = await server.speak({ text: 'hi' }, { traceparent: `00-${trace}-00f067aa0ba902b7-01` });
  await response.arrayBuffer();
  assert.equal(response.headers.get('x-fish-trace-id'), trace);
  assert.equal(server.speech.requests.at(-1)?.requestId, trace);
});

test('an integral float in MessagePack is accepted as an integer', async () => {
  // 300 as a 64-bit float, which some clients use for every number.
  const body = Buffer.concat([
    Buffer.from([0x82]),
    pack('text'),
    pack('hi'),
    pack('chunk_length'),
    Buffer.from([0xcb, 0x40, 0x72, 0xc0, 0, 0, 0, 0, 0]),
  ]);
  const headers = { 'content-type': 'application/msgpack' };
  const response = await server.call('/v1/tts', { method: 'POST', headers, body });
  assert.equal(response.status, 200);
  await response.arrayBuffer();
  assert.equal(server.speech.requests.at(-1)?.chunkLength, 300);
});
