import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pack } from 'msgpackr';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';

let server: TestServer;
before(async () => {
  server = await startTestServer();
});
after(() => server.close());

interface InvalidRequest {
  readonly what: string;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
  readonly status: number;
  readonly code: string;
  /** Only where clients depend on the text. */
  readonly message?: string;
  /** The field in `detail`; absent if the body has only `status` and `message`. */
  readonly field?: string;
}

const FORMATS = '`mp3`, `wav`, `pcm`, `opus`, `flac`';
const JSON_TYPE = { 'content-type': 'application/json' };
const MSGPACK_TYPE = { 'content-type': 'application/msgpack' };
const MULTI_SPEAKER =
  'data did not match any variant of untagged enum MultiSpeakerReference. ' +
  'This model speaks with one voice: send one voice in `reference_id`, or choose a model such as `s2-pro`.';
const MEDIA_TYPE = 'Unsupported content type. Send `application/json` or `application/msgpack`.';

const bad = (what: string, body: unknown, message: string, field?: string): InvalidRequest => ({
  what,
  body,
  status: 400,
  code: 'invalid_request',
  message,
  ...(field !== undefined && { field }),
});

const INVALID_REQUESTS: readonly InvalidRequest[] = [
  bad('a missing text', {}, 'missing field `text`', 'text'),
  bad('a null text', { text: null }, 'invalid type for `text`: got null, expected a string', 'text'),
  bad(
    'a text that is a number',
    { text: 5 },
    'invalid type for `text`: got a number, expected a string',
    'text',
  ),
  bad('a body that is a list', [], 'invalid type: got an array, expected an object', ''),
  bad('a body that is a string', '"hello"', 'invalid type: got a string, expected an object', ''),
  bad(
    'an unknown format',
    { text: 'hi', format: 'ogg' },
    `unknown variant \`ogg\`, expected one of ${FORMATS}`,
    'format',
  ),
  bad(
    'an unknown latency',
    { text: 'hi', latency: 'fast' },
    'unknown variant `fast`, expected one of `normal`, `balanced`, `low`',
    'latency',
  ),
  bad(
    'a speed that is too high',
    { text: 'hi', prosody: { speed: 2.1 } },
    'speed must be in [0.5, 2.0]',
    'prosody.speed',
  ),
  bad(
    'a speed that is too low',
    { text: 'hi', prosody: { speed: 0 } },
    'speed must be in [0.5, 2.0]',
    'prosody.speed',
  ),
  bad(
    'a speed that is text',
    { text: 'hi', prosody: { speed: '1' } },
    'invalid type for `prosody.speed`: got a string, expected a number',
    'prosody.speed',
  ),
  bad(
    'a prosody that is a number',
    { text: 'hi', prosody: 1 },
    'invalid type for `prosody`: got a number, expected an object',
    'prosody',
  ),
  bad(
    'a chunk length out of range',
    { text: 'hi', chunk_length: 99 },
    'chunk_length must be in [100, 300]',
    'chunk_length',
  ),
  bad(
    'a chunk length that is no integer',
    { text: 'hi', chunk_length: 150.5 },
    'invalid type for `chunk_length`: got a number, expected an integer',
    'chunk_length',
  ),
  bad(
    'a least chunk length out of range',
    { text: 'hi', min_chunk_length: 101 },
    'min_chunk_length must be in [0, 100]',
    'min_chunk_length',
  ),
  bad('a top_p out of range', { text: 'hi', top_p: 1.5 }, 'top_p must be in [0.0, 1.0]', 'top_p'),
  bad(
    'a bitrate that mp3 lacks',
    { text: 'hi', mp3_bitrate: 100 },
    'mp3_bitrate must be one of 64, 64000, 128, 128000, 192, 192000',
    'mp3_bitrate',
  ),
  bad(
    'a bitrate that opus lacks',
    { text: 'hi', opus_bitrate: 128 },
    'opus_bitrate must be one of 24, 24000, 32, 32000, 48, 48000, 64, 64000, -1000',
    'opus_bitrate',
  ),
  bad(
    'a seed that is text',
    { text: 'hi', seed: 'x' },
    'invalid type for `seed`: got a string, expected a number',
    'seed',
  ),
  bad(
    'a voice that is a number',
    { text: 'hi', reference_id: 7 },
    'invalid value for `reference_id`: expected a string or a list of at most 64 strings',
    'reference_id',
  ),
  bad(
    'a list of 10,000 unknown voices',
    { text: 'hi', reference_id: Array.from({ length: 10_000 }, (_, index) => `voice ${index}`) },
    'invalid value for `reference_id`: expected a string or a list of at most 64 strings',
    'reference_id',
  ),
  bad(
    'a flag that is text',
    { text: 'hi', normalize: 'yes' },
    'invalid type for `normalize`: got a string, expected a boolean',
    'normalize',
  ),
  {
    what: 'a sample rate that mp3 lacks',
    body: { text: 'hi', sample_rate: 22_050 },
    status: 400,
    code: 'sample_rate_not_supported',
    message: 'Invalid sample rate 22050 for format audio/mpeg. Supported sample rates: 44100, 32000',
    field: 'sample_rate',
  },
  {
    what: 'a sample rate that opus lacks',
    body: { text: 'hi', format: 'opus', sample_rate: 44_100 },
    status: 400,
    code: 'sample_rate_not_supported',
    message: 'Invalid sample rate 44100 for format audio/ogg. Supported sample rates: 48000',
    field: 'sample_rate',
  },
  {
    what: 'an unknown voice',
    body: { text: 'hi', reference_id: 'f'.repeat(32) },
    status: 400,
    code: 'voice_not_found',
    message: 'Reference not found',
  },
  {
    what: 'a voice name with a slip',
    body: { text: 'hi', reference_id: 'af_hart' },
    status: 400,
    code: 'voice_not_found',
    message: 'Reference not found. Did you mean `af_heart`?',
  },
  {
    what: 'two speakers on a model that knows one',
    body: { text: 'hi', reference_id: ['a', 'b'] },
    headers: { model: 's1' },
    status: 400,
    code: 'invalid_request',
    message: `Failed to parse the request body as JSON: ${MULTI_SPEAKER}`,
  },
  {
    what: 'a voice in a list that is not there',
    body: { text: 'hi', reference_id: ['a', 'b'] },
    headers: { model: 's2-pro' },
    status: 400,
    code: 'voice_not_found',
    message: 'Reference not found',
  },
  {
    what: 'an unknown language',
    body: { text: 'hi', language: 'tlh' },
    status: 400,
    code: 'language_not_supported',
  },
  {
    what: 'a text of punctuation',
    body: { text: '?!…' },
    status: 400,
    code: 'nothing_to_speak',
  },
  {
    what: 'a text of emoji',
    body: { text: '🎉🎉' },
    status: 400,
    code: 'nothing_to_speak',
  },
  {
    what: 'a lone surrogate',
    body: '{"text":"\\ud800"}',
    status: 400,
    code: 'nothing_to_speak',
  },
  {
    what: 'a megabyte of one word',
    body: { text: 'word '.repeat(200_000) },
    status: 413,
    code: 'text_too_long',
    message: 'The text is longer than 200000 characters.',
  },
  {
    what: 'ten megabytes',
    body: `{"text":"${'x'.repeat(10_000_000)}"}`,
    status: 413,
    code: 'body_too_large',
    message: 'The request body is too large.',
  },
  {
    what: 'broken JSON',
    body: '{"text":',
    status: 400,
    code: 'invalid_body',
    message: 'Failed to parse the request body as JSON.',
  },
  {
    what: 'an empty JSON body',
    body: '',
    status: 400,
    code: 'invalid_body',
    message: 'The request body is empty.',
  },
  {
    what: 'JSON called MessagePack',
    body: '{"text":"hi"}',
    headers: MSGPACK_TYPE,
    status: 400,
    code: 'invalid_body',
    message: 'Failed to parse the request body as MsgPack.',
  },
  {
    what: 'a form',
    body: 'text=hi',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    status: 415,
    code: 'unsupported_media_type',
    message: MEDIA_TYPE,
  },
  {
    what: 'plain text',
    body: 'hi',
    headers: { 'content-type': 'text/plain' },
    status: 415,
    code: 'unsupported_media_type',
    message: MEDIA_TYPE,
  },
  {
    what: 'a content type that is none',
    body: 'hi',
    headers: { 'content-type': 'nonsense' },
    status: 415,
    code: 'unsupported_media_type',
    message: MEDIA_TYPE,
  },
];

for (const { what, body, headers, status, code, message, field } of INVALID_REQUESTS) {
  test(`${what} is rejected with ${status} ${code}`, async () => {
    const response = await server.speak(body, headers);
    const answer = (await response.json()) as Record<string, unknown>;
    assert.equal(response.status, status);
    assert.equal(answer.status, status);
    assert.ok(typeof answer.message === 'string' && answer.message !== '');
    if (message !== undefined) assert.equal(answer.message, message);
    assert.equal(response.headers.get('x-fish-error-code'), code);
    assert.equal(response.headers.get('x-fish-error-source'), 'client');
    assert.match(response.headers.get('x-fish-trace-id') ?? '', /^[0-9a-f]{32}$/);
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
    if (field === undefined) {
      assert.deepEqual(Object.keys(answer), ['status', 'message']);
    } else {
      const [detail] = answer.detail as { loc: string[]; msg: string; in: string; type: string }[];
      assert.deepEqual(detail?.loc, ['body', ...(field === '' ? [] : field.split('.'))]);
      assert.equal(detail?.msg, message);
      assert.equal(detail?.in, 'body');
    }
    assert.equal(server.speech.active, 0);
  });
}

test('malformed MessagePack is rejected', async () => {
  const whole = pack({ text: 'hello' });
  const broken = [
    whole.subarray(0, whole.length - 1),
    Buffer.concat([whole, whole]),
    Buffer.alloc(100_000, 0x91),
  ];
  for (const body of broken) {
    const response = await server.call('/v1/tts', { method: 'POST', headers: MSGPACK_TYPE, body });
    assert.deepEqual(await response.json(), {
      status: 400,
      message: 'Failed to parse the request body as MsgPack.',
    });
    assert.equal(response.status, 400);
  }
});

test('numbers that JSON cannot represent are rejected in MessagePack', async () => {
  for (const speed of [Number.NaN, Number.POSITIVE_INFINITY]) {
    const body = pack({ text: 'hi', prosody: { speed } });
    const response = await server.call('/v1/tts', { method: 'POST', headers: MSGPACK_TYPE, body });
    assert.equal(response.status, 400);
  }
});

test('a request without a body lacks its text', async () => {
  const response = await server.call('/v1/tts', { method: 'POST' });
  assert.equal(response.status, 400);
  assert.equal(((await response.json()) as { message: string }).message, 'missing field `text`');
});

test('a body without a content type is rejected with 415', async () => {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(Buffer.from('{"text":"hi"}'));
      controller.close();
    },
  });
  const response = await server.call('/v1/tts', { method: 'POST', body, duplex: 'half' } as RequestInit);
  assert.equal(response.status, 415);
});

test('a chunked body above the limit is rejected, and the client gets the response', async () => {
  const chunk = Buffer.alloc(1_000_000, 'x');
  let sent = 0;
  const body = new ReadableStream({
    pull(controller) {
      sent += 1;
      if (sent > 12) controller.close();
      else controller.enqueue(chunk);
    },
  });
  const response = await server.call('/v1/tts', {
    method: 'POST',
    headers: JSON_TYPE,
    body,
    duplex: 'half',
  } as RequestInit);
  assert.equal(response.status, 413);
});

test('unknown fields are ignored', async () => {
  const response = await server.speak({ text: 'hi', colour: 'red', model: 's1', model_id: 'x' });
  assert.equal(response.status, 200);
  await response.arrayBuffer();
  assert.ok(!('colour' in server.speech.requests.at(-1)!));
});

test('control characters in a text reach the text front end as they are', async () => {
  const response = await server.speak({ text: 'a\u0000b\u0007c' });
  assert.equal(response.status, 200);
  await response.arrayBuffer();
  assert.equal(server.speech.requests.at(-1)?.text, 'a\u0000b\u0007c');
});

const PATHS = [
  ['GET', '/nope', 404, 'not_found', 'Not Found'],
  ['GET', `/model/${'a'.repeat(101)}`, 404, 'not_found', 'A parameter of the path is too long.'],
  ['POST', '/v1/nope', 404, 'not_found', 'Not Found'],
  ['GET', '/v1/tts', 405, 'method_not_allowed', 'Method Not Allowed. This path takes POST.'],
  ['PUT', '/model', 405, 'method_not_allowed', 'Method Not Allowed. This path takes GET, HEAD, POST.'],
  ['DELETE', '//model/abc', 404, 'model_not_found', 'Model not found'],
  ['GET', '/%zz', 400, 'invalid_request', 'The path is not a valid URL path.'],
] as const;
for (const [method, path, status, code, message] of PATHS) {
  test(`${method} ${path} responds ${status}`, async () => {
    const response = await server.call(path, { method });
    assert.equal(response.status, status);
    const { error, ...body } = (await response.json()) as Record<string, unknown>;
    assert.deepEqual(body, { status, message });
    // An unknown path or method under /v1 may be one of OpenAI, whose clients read `error`.
    const isOpenAiPath = status >= 404 && path.startsWith('/v1/');
    assert.equal((error as { readonly code?: unknown } | undefined)?.code, isOpenAiPath ? code : undefined);
    assert.equal(response.headers.get('x-fish-error-code'), code);
    assert.match(response.headers.get('x-fish-trace-id') ?? '', /^[0-9a-f]{32}$/);
  });
}

test('the server works after all rejected requests', async () => {
  const response = await server.speak({ text: 'still here' });
  assert.equal(response.status, 200);
  assert.ok((await response.arrayBuffer()).byteLength > 0);
});
