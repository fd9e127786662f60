import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { FIRST_ACCOUNT_ID } from '../../../src/domain/accounts/keys/first-key.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { until } from '../../support/servers/real-server.ts';

let server: TestServer;
before(async () => {
  server = await startTestServer({
    config: { bodyMaxBytes: 4_000_000, bodiesMaxBytes: 500_000, bodyTimeoutSeconds: 5 },
  });
});
after(() => server.close());

const bodyOf = (bytes: number) => JSON.stringify({ text: 'Hello.', ignored: 'x'.repeat(bytes) });
const codeOf = async (response: Response) => {
  await response.arrayBuffer();
  return [response.status, response.headers.get('x-fish-error-code')];
};

/** The response to a request that announces a large body and sends only its first bytes. */
function announceBody(
  method: string,
  path: string,
  {
    headers = {},
    isChunked = false,
    sent = '',
  }: { headers?: Record<string, string>; isChunked?: boolean; sent?: string } = {},
) {
  const size = isChunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': '3000000' };
  const call = request(new URL(path, server.url), {
    method,
    headers: { 'content-type': 'application/json', ...size, ...headers },
  });
  call.flushHeaders();
  if (sent !== '') call.write(sent);
  return new Promise<[number | undefined, unknown]>((resolve, reject) => {
    call.once('error', reject);
    call.once('response', (response) => {
      resolve([response.statusCode, response.headers['x-fish-error-code']]);
      call.on('error', () => {});
      call.destroy();
    });
  });
}

/** A request whose body is incomplete until `finish` is called. */
function sendSlowly(bytes: number) {
  const body = bodyOf(bytes);
  const slow = request(new URL('/v1/tts', server.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
  });
  const status = new Promise<number | undefined>((resolve) => {
    slow.on('response', (response) => response.resume().on('end', () => resolve(response.statusCode)));
    slow.on('error', () => resolve(undefined));
  });
  slow.write(body.slice(0, -1));
  return { status, finish: () => slow.end(body.slice(-1)), leave: () => slow.destroy() };
}

for (const ending of ['finish', 'leave'] as const) {
  test(`large bodies above the memory limit are rejected until another request is ${ending === 'finish' ? 'complete' : 'aborted'}`, async () => {
    let slow = sendSlowly(300_000);
    await until('another body is rejected', async () => {
      const [status, code] = await codeOf(await server.speak(bodyOf(300_000)));
      if (status === 429) return code === 'queue_full';
      // The one that arrives first is accepted.
      slow.leave();
      slow = sendSlowly(300_000);
      return false;
    });
    assert.equal((await codeOf(await server.speak(bodyOf(1000))))[0], 200, 'small bodies are not counted');
    slow[ending]();
    assert.equal(await slow.status, ending === 'finish' ? 200 : undefined);
    await until(
      'another body is accepted',
      async () => (await codeOf(await server.speak(bodyOf(300_000))))[0] === 200,
    );
  });
}

test('a single body above the total limit is accepted alone, up to the limit per body', async () => {
  assert.equal((await codeOf(await server.speak(bodyOf(900_000))))[0], 200);
  assert.deepEqual(await codeOf(await server.speak(bodyOf(4_000_000))), [413, 'body_too_large']);
});

const REFUSED = [
  ['POST', '/nope', 404, 'not_found'],
  ['POST', '/compat/v1/nope', 404, 'not_found'],
  ['POST', '/v1/health', 413, 'body_too_large'],
  ['PUT', '/v1/tts', 405, 'method_not_allowed'],
  ['OPTIONS', '/v1/tts', 405, 'method_not_allowed'],
  ['GET', '/v1/health', 413, 'body_too_large'],
  ['GET', '/docs', 413, 'body_too_large'],
  ['POST', '/v1/tts', 401, 'invalid_api_key'],
  ['POST', '/v1/asr', 401, 'invalid_api_key'],
  ['POST', '/model', 401, 'invalid_api_key'],
  ['POST', '/compat/v1/chat/completions', 401, 'invalid_api_key'],
] as const;
for (const [method, path, status, code] of REFUSED) {
  test(`${method} ${path} without a key is refused before its body arrives`, async () => {
    assert.deepEqual(await announceBody(method, path), [status, code]);
    assert.deepEqual(await announceBody(method, path, { isChunked: true }), [status, code]);
  });
}

test('a request with a bad key, or one whose key lacks the scope, is refused before its body arrives', async () => {
  const { key } = await server.keys.create({
    accountId: FIRST_ACCOUNT_ID,
    name: 'reader',
    scopes: ['voices:read'],
  });
  for (const path of ['/v1/tts', '/v1/asr', '/model', '/compat/v1/chat/completions']) {
    const unknown = { authorization: `Bearer ${key.slice(0, -1)}` };
    assert.deepEqual(await announceBody('POST', path, { headers: unknown }), [401, 'invalid_api_key']);
    const reader = { authorization: `Bearer ${key}` };
    assert.deepEqual(await announceBody('POST', path, { headers: reader }), [403, 'insufficient_scope']);
  }
});

test('a body that does not arrive in time is answered with 408', async () => {
  const headers = { authorization: `Bearer ${server.key}` };
  const sent = '{"text":';
  assert.deepEqual(await announceBody('POST', '/v1/tts', { headers, sent }), [408, 'body_timeout']);
});

test('a body with too many values is rejected quickly', async () => {
  const keys = Array.from({ length: 200_000 }, (_, index) => `"k${index}":0`);
  assert.deepEqual(await codeOf(await server.speak(`{"text":"Hi.",${keys.join()}}`)), [
    413,
    'body_too_large',
  ]);
});

test('unlimited nesting is rejected', async () => {
  for (const body of ['['.repeat(3_000_000), `{"text": ${'{"a":'.repeat(600_000)}`]) {
    assert.deepEqual(await codeOf(await server.speak(body)), [400, 'invalid_body']);
  }
});
