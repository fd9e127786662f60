import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, type IncomingMessage, METHODS, request } from 'node:http';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { pack } from 'msgpackr';
import { CREATE_VOICE } from '../../support/calls/voice-calls.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { RecordingCloner } from '../../support/workers/recording-cloner.ts';

let server: TestServer;
before(async () => {
  server = await startTestServer({ voices: { cloner: new RecordingCloner() } });
});
after(() => server.close());

const JSON_TYPE = { 'content-type': 'application/json' };

/** The status of a request that `fetch` refuses to send. */
function statusOf(method: string, path: string): Promise<number> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let response = '';
    socket
      .on('data', (data) => {
        response += data;
      })
      .on('end', () => resolve(Number(response.split(' ')[1])))
      .on('error', reject);
    socket.write(
      `${method} ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${server.key}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
    );
  });
}

const ROUTED = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'];
const LONG = 'a'.repeat(5000);

test('every other method is answered with 404 or 405', async () => {
  const odd = METHODS.filter((method) => !ROUTED.includes(method) && method !== 'CONNECT');
  for (const method of odd) {
    assert.equal(await statusOf(method, '/v1/tts'), 405, method);
    assert.equal(await statusOf(method, '/nope'), 404, method);
    assert.ok([404, 405].includes(await statusOf(method, `/model/${LONG}`)), method);
  }
});

test('an offer to change to HTTP/2 is ignored', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = {
    connection: 'Upgrade, HTTP2-Settings',
    upgrade: 'h2c',
    'http2-settings': 'AAMAAABkAAQAAP__',
    authorization: `Bearer ${server.key}`,
  };
  const send = async (method: string, path: string, body?: string) => {
    const sent = request(server.url + path, {
      agent,
      method,
      headers: { ...headers, ...(body && JSON_TYPE) },
    });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    let bytes = 0;
    for await (const chunk of response) bytes += (chunk as Buffer).length;
    return { status: response.statusCode, bytes };
  };
  try {
    const health = await send('GET', '/v1/health');
    assert.equal(health.status, 200);
    const spoken = await send('POST', '/v1/tts', JSON.stringify({ text: 'Hello there.' }));
    assert.equal(spoken.status, 200);
    assert.ok(spoken.bytes > 1000);
    assert.equal((await send('GET', '/nope')).status, 404);
  } finally {
    agent.destroy();
  }
});

test('a model with a name that every object inherits is unknown', async () => {
  const requests = [
    ['/v1/audio/speech', { model: 'constructor', input: 'Hello.', voice: 'alloy' }],
    [
      '/v1/chat/completions',
      { model: '__proto__', modalities: ['audio'], messages: [{ role: 'user', content: 'Hi.' }] },
    ],
    ['/compat/elevenlabs/v1/text-to-speech/default', { model_id: 'constructor', text: 'Hello.' }],
  ] as const;
  for (const [path, body] of requests) {
    const init = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) };
    const response = await server.call(path, init);
    assert.ok(response.status >= 400 && response.status < 500, `${path}: ${response.status}`);
    await response.body?.cancel();
  }
});

test('a long parameter of a path is answered with 404 on every route, with and without a key', async () => {
  const { paths } = (await (await fetch(`${server.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  const operations = Object.entries(paths)
    .filter(([path]) => path.includes('{'))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => ({ path, method })));
  assert.ok(operations.length > 10);
  for (const { path, method } of operations) {
    const url = path.replaceAll(/\{\w+\}/g, LONG);
    const init = { method: method.toUpperCase() };
    assert.equal((await server.call(url, init)).status, 404, `${method} ${path}`);
    assert.equal((await fetch(server.url + url, init)).status, 404, `${method} ${path}`);
  }
});

const FORM_PATHS = [
  '/v1/asr',
  '/model',
  '/v1/references/add',
  '/v1/audio/transcriptions',
  '/v1/speech-to-text',
];
const part = (boundary: string, disposition: string) =>
  `--${boundary}\r\ncontent-disposition: ${disposition}\r\n\r\nx\r\n--${boundary}--\r\n`;
const FORMS: readonly (readonly [string, string, string])[] = [
  ['a boundary of 300 characters', 'b'.repeat(300), part('b'.repeat(300), 'form-data; name="audio"')],
  ['an empty boundary', '', part('', 'form-data; name="audio"')],
  ['a part without a name', 'b', part('b', 'form-data')],
  ['a part with an empty name', 'b', part('b', 'form-data; name=""')],
  ['a part without a disposition', 'b', '--b\r\n\r\nx\r\n--b--\r\n'],
  ['a part with a reserved name', 'b', part('b', 'form-data; name="__proto__"')],
  [
    'a part with an unknown charset',
    'b',
    part('b', 'form-data; name="x"\r\ncontent-type: text/plain; charset=x'),
  ],
];
for (const path of FORM_PATHS) {
  for (const [what, boundary, body] of FORMS) {
    test(`${path}: ${what} is a client error`, async () => {
      const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
      const { status } = await server.call(path, { method: 'POST', headers, body });
      assert.ok(status >= 400 && status < 500, String(status));
    });
  }
}

test('a change without a field changes nothing', async () => {
  const change = async (path: string) => {
    const response = await server.call(path, { method: 'PATCH', headers: JSON_TYPE, body: '{}' });
    await response.arrayBuffer();
    return response.status;
  };
  const create = async (path: string, init: RequestInit) =>
    (await (await server.call(path, init)).json()) as { id: string; _id: string };
  const { keyId } = (await server.keys.authenticate(server.key))!;
  const voice = await create(CREATE_VOICE.path, CREATE_VOICE.init!);
  const dictionary = await create('/v1/pronunciation-dictionaries', {
    method: 'POST',
    headers: JSON_TYPE,
    body: '{"name":"x"}',
  });
  const accountBefore = await (await server.call('/v1/admin/accounts/acc_first')).json();
  assert.equal(await change('/v1/admin/accounts/acc_first'), 200);
  assert.deepEqual(await (await server.call('/v1/admin/accounts/acc_first')).json(), accountBefore);
  assert.equal(await change(`/v1/admin/keys/${keyId}`), 200);
  assert.equal(await change(`/model/${voice._id}`), 200);
  assert.equal(await change(`/v1/pronunciation-dictionaries/${dictionary.id}`), 200);
});

/** Extensions of msgpackr: a BigInt, a reference to an enclosing object, an error. */
const HOSTILE_VALUES: readonly (readonly [string, Buffer])[] = [
  ['a BigInt', Buffer.from([0xc7, 9, 0x42, 1, 2, 3, 4, 5, 6, 7, 8, 9])],
  ['a cyclic object', Buffer.from([0xd6, 0x69, 0, 0, 0, 1, 0x81, 0xa1, 0x61, 0xd6, 0x70, 0, 0, 0, 1])],
  ['an error', Buffer.from([0xd4, 0x65, 0, 0x93, 0xa1, 0x61, 0xa1, 0x61, 0xc0])],
];
for (const [what, value] of HOSTILE_VALUES) {
  for (const field of ['text', 'seed', 'unknown']) {
    test(`MessagePack with ${what} as ${field} is rejected with 400`, async () => {
      const rest = pack({ text: 'Hi.' }).subarray(1);
      const body = Buffer.concat([Buffer.of(0x82), rest, pack(field), value]);
      const response = await server.call('/v1/tts', {
        method: 'POST',
        headers: { 'content-type': 'application/msgpack', 'idempotency-key': `${what} ${field}` },
        body,
      });
      assert.deepEqual([response.status, response.headers.get('x-fish-error-code')], [400, 'invalid_body']);
    });
  }
}

const DEEP = '['.repeat(7000) + ']'.repeat(7000);

test('a deeply nested value in a header or in a field of a form is a client error', async () => {
  const speech = await server.call('/v1/audio/speech', {
    method: 'POST',
    headers: { ...JSON_TYPE, 'x-fish-format': DEEP },
    body: JSON.stringify({ model: 'tts-1', input: 'Hi.', voice: 'alloy' }),
  });
  assert.equal(speech.status, 400);
  const form = new FormData();
  form.append('title', 'Deep');
  form.append('mix', DEEP);
  form.append('description', new Blob([DEEP], { type: 'application/json' }));
  const voice = await server.call('/model', {
    method: 'POST',
    headers: { 'idempotency-key': 'deep' },
    body: form,
  });
  assert.ok(voice.status >= 400 && voice.status < 500, String(voice.status));
});
