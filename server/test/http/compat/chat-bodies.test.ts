import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pack } from 'msgpackr';
import { FIRST_ACCOUNT_ID } from '../../../src/domain/accounts/keys/first-key.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { until } from '../../support/servers/real-server.ts';

const PATH = '/compat/v1/chat/completions';
const RECORDING_MAX_BYTES = 400_000;
const BODY_MAX_BYTES = 100_000;

let server: TestServer;
before(async () => {
  server = await startTestServer({
    config: { asrUploadMaxBytes: RECORDING_MAX_BYTES, bodyMaxBytes: BODY_MAX_BYTES },
  });
});
after(() => server.close());

const base64 = (text: string) => Buffer.from(text).toString('base64');
const recording = (text: string) => ({ type: 'input_audio', input_audio: { data: base64(text) } });
const chat = (...messages: object[]) => ({ model: 'whisper-1', messages });
const user = (...content: object[]) => ({ role: 'user', content });

async function call(body: string | object, headers: Record<string, string> = {}) {
  const response = await server.call(PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const answer = (await response.json()) as { choices?: [{ message: { content: string } }] };
  return {
    status: response.status,
    code: response.headers.get('x-fish-error-code'),
    text: answer.choices?.[0].message.content,
  };
}

/** Number of recordings on disk. */
async function countRecordings(): Promise<number> {
  const entries = await readdir(join(server.dataFolder, 'uploads'), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).length;
}

const assertNoRecordings = () => until('no recording is left', async () => (await countRecordings()) === 0);

test('the recording of the last user message is transcribed, and no recording is left', async () => {
  const words = 'word '.repeat(50_000).trim();
  const body = chat(
    user(recording('audio:first')),
    { role: 'assistant', content: 'first' },
    user({ type: 'text', text: 'And this?' }, recording(`audio:${words}`)),
    { role: 'system', content: [recording('audio:not mine')] },
  );
  const { status, text } = await call(body);
  assert.deepEqual([status, text], [200, words]);
  await assertNoRecordings();
});

test('a recording is written to disk while it arrives', async () => {
  const [before, after] = JSON.stringify(chat(user(recording('DATA')))).split(base64('DATA'));
  const upload = request(new URL(PATH, server.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
  });
  const status = new Promise((resolve, reject) =>
    upload.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject),
  );
  upload.write(before + base64(`audio:${'word '.repeat(20_000)}`));
  await until('the recording is on disk', async () => (await countRecordings()) === 1);
  upload.end(after);
  assert.equal(await status, 200);
  await assertNoRecordings();
});

test('a client that leaves in the middle leaves no recording', async () => {
  const upload = request(new URL(PATH, server.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
  });
  upload.on('error', () => {});
  upload.write(JSON.stringify(chat(user(recording('x'.repeat(90_000))))).slice(0, 80_000));
  await until('the recording is on disk', async () => (await countRecordings()) === 1);
  upload.destroy();
  await assertNoRecordings();
});

test('a recording without the scope asr is refused before it arrives', async () => {
  const { key } = await server.keys.create({ accountId: FIRST_ACCOUNT_ID, name: 'tts', scopes: ['tts'] });
  const upload = request(new URL(PATH, server.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  });
  upload.write(JSON.stringify(chat(user(recording('audio:hello')))).split('"}}')[0]);
  const code = await new Promise((resolve, reject) =>
    upload.on('response', (response) => resolve(response.headers['x-fish-error-code'])).on('error', reject),
  );
  upload.on('error', () => {}).destroy();
  assert.equal(code, 'insufficient_scope');
  assert.equal(await countRecordings(), 0);
});

const big = (bytes: number) => 'x'.repeat(bytes);
const INVALID: readonly (readonly [string, string | object, number, string])[] = [
  [
    'a recording above its limit',
    chat(user(recording(big(RECORDING_MAX_BYTES + 1)))),
    413,
    'request_too_large',
  ],
  [
    'recordings above their limit together',
    chat(...Array.from({ length: 5 }, () => user(recording(big(RECORDING_MAX_BYTES / 4))))),
    413,
    'request_too_large',
  ],
  [
    'a text above the body limit',
    chat({ role: 'user', content: big(BODY_MAX_BYTES) }),
    413,
    'body_too_large',
  ],
  [
    'texts above the body limit together',
    chat(...Array.from({ length: 3 }, () => ({ role: 'user', content: big(BODY_MAX_BYTES / 2) }))),
    413,
    'body_too_large',
  ],
  [
    'two recordings in a message',
    chat(user(recording('audio:a'), recording('audio:b'))),
    400,
    'not_supported',
  ],
  ['too many messages', chat(...Array.from({ length: 1025 }, () => ({}))), 413, 'request_too_large'],
  [
    'too many fields',
    `{${Array.from({ length: 300 }, (_, n) => `"f${n}":0`).join()}}`,
    413,
    'request_too_large',
  ],
  ['an empty body', '', 400, 'invalid_body'],
  ['a list', '[]', 400, 'invalid_body'],
  ['a truncated body', '{"messages":[{"role":"user","content":[{"type":"input_audio"', 400, 'invalid_body'],
  ['text after the end', '{"model":"s1"} x', 400, 'invalid_body'],
  ['a message that is a number', '{"model":"s1","messages":[1]}', 400, 'invalid_request'],
  [
    'a part that is a string',
    '{"model":"s1","messages":[{"role":"user","content":["x"]}]}',
    400,
    'invalid_request',
  ],
  ['no messages', '{"model":"s1"}', 400, 'invalid_request'],
];
for (const [what, body, status, code] of INVALID) {
  test(`${what} is rejected with ${status} ${code}`, async () => {
    const answer = await call(body);
    assert.deepEqual([answer.status, answer.code], [status, code]);
    await assertNoRecordings();
  });
}

test('recordings count towards the uploads of the account', async () => {
  const limited = await startTestServer({ config: { accountUploadsMax: 0 } });
  try {
    const response = await limited.call(PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(chat(user(recording('audio:hello')))),
    });
    assert.equal(response.headers.get('x-fish-error-code'), 'too_many_uploads');
  } finally {
    await limited.close();
  }
});

test('a text that is being received counts towards the bodies in memory', async () => {
  const config = { bodyMaxBytes: 400_000, bodiesMaxBytes: 500_000 };
  const limited = await startTestServer({ config });
  const body = JSON.stringify(chat({ role: 'user', content: big(390_000) }));
  const slow = request(new URL(PATH, limited.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${limited.key}`, 'content-type': 'application/json' },
  });
  slow.on('error', () => {}).write(body.slice(0, -100));
  try {
    await until('another body is refused', async () => {
      const response = await limited.call(PATH, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      await response.arrayBuffer();
      return response.headers.get('x-fish-error-code') === 'queue_full';
    });
  } finally {
    slow.destroy();
    await limited.close();
  }
});

test('MessagePack works within the body limit', async () => {
  const send = async (body: object) => {
    const response = await server.call(PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/msgpack' },
      body: pack(body),
    });
    await response.arrayBuffer();
    return response.status;
  };
  assert.equal(await send(chat(user(recording('audio:hello')))), 200);
  assert.equal(await send(chat(user(recording(big(BODY_MAX_BYTES))))), 413);
});
