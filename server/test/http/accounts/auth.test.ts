import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';

let server: TestServer;
before(async () => {
  server = await startTestServer();
});
after(() => server.close());

async function expectInvalidToken(response: Response, reason = /^Invalid Token: /): Promise<void> {
  assert.equal(response.status, 401);
  const { status, message } = (await response.json()) as { status: number; message: string };
  assert.equal(status, 401);
  assert.match(message, reason);
  assert.equal(response.headers.get('x-fish-error-code'), 'invalid_api_key');
}

const WRONG = [
  '',
  'Bearer',
  'Bearer ',
  'Bearer x',
  'Basic abc',
  `Bearer mynah_${'0'.repeat(10)}_${'0'.repeat(32)}`,
];
for (const authorization of WRONG) {
  test(`the header “${authorization}” is rejected`, async () => {
    await expectInvalidToken(await server.speak({ text: 'hi' }, { authorization }));
  });
}

test('a missing header is rejected', async () => {
  await expectInvalidToken(await fetch(`${server.url}/v1/tts`, { method: 'POST' }));
  await expectInvalidToken(await fetch(`${server.url}/model`));
});

test('a refused key is named as missing, unknown, expired or revoked', async () => {
  const call = (headers: Record<string, string>) =>
    fetch(`${server.url}/wallet/self/api-credit`, { headers });
  const withKey = (key: string) => call({ authorization: `Bearer ${key}` });
  await expectInvalidToken(await call({}), /no API key.*first-key/);
  await expectInvalidToken(await call({ authorization: server.key }), /not `Bearer <key>`/);
  await expectInvalidToken(await withKey('wrong'), /unknown/);
  const accountId = (await server.keys.authenticate(server.key))!.accountId;
  const expired = await server.keys.create({ accountId, name: 'expired', expiresAtMs: Date.now() - 1 });
  await expectInvalidToken(await withKey(expired.key), /expired/);
  // The prefix alone reveals nothing.
  await expectInvalidToken(await withKey(`${expired.prefix}_${'0'.repeat(32)}`), /unknown/);
  const revoked = await server.keys.create({ accountId, name: 'revoked' });
  await server.keys.revoke(revoked.id);
  await expectInvalidToken(await withKey(revoked.key), /revoked/);
});

test('the refusal of a WebSocket says that the connection ends', async () => {
  const upgrade = request(`${server.url}/v1/tts/live`, {
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    },
  }).end();
  const [response] = (await once(upgrade, 'response')) as [IncomingMessage];
  assert.equal(response.statusCode, 401);
  assert.equal(response.headers.connection, 'close');
  response.resume();
});

test('the scheme is case-insensitive', async () => {
  const response = await fetch(`${server.url}/model`, { headers: { authorization: `bearer ${server.key}` } });
  assert.equal(response.status, 200);
});

const BODIES = [
  ['broken JSON', '{', 'application/json'],
  ['a form', 'text=hi', 'application/x-www-form-urlencoded'],
  ['ten megabytes', 'x'.repeat(10_000_000), 'application/json'],
] as const;
for (const [what, body, type] of BODIES) {
  test(`the key is checked before ${what}`, async () => {
    await expectInvalidToken(
      await server.speak(body, { authorization: 'Bearer wrong', 'content-type': type }),
    );
  });
}

test('a wrong key is rejected before the body has arrived', async () => {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.write(
    'POST /v1/tts HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000000\r\n\r\n',
  );
  const [first] = (await socket.take(1).toArray()) as Buffer[];
  assert.match(String(first), /^HTTP\/1\.1 401 /);
  socket.destroy();
});

test('a revoked key is rejected', async () => {
  const created = await server.keys.create({ accountId: 'acc_first', name: 'short-lived' });
  const headers = { authorization: `Bearer ${created.key}` };
  assert.equal((await fetch(`${server.url}/model`, { headers })).status, 200);
  await server.keys.revoke(created.id);
  await expectInvalidToken(await fetch(`${server.url}/model`, { headers }));
});

test('voices are public if configured, speech never is', async () => {
  const open = await startTestServer({ config: { publicVoices: true } });
  try {
    assert.equal((await fetch(`${open.url}/model`)).status, 200);
    assert.equal((await fetch(`${open.url}/model/af_heart`)).status, 200);
    await expectInvalidToken(await fetch(`${open.url}/v1/tts`, { method: 'POST' }));
  } finally {
    await open.close();
  }
});

test('invalid HTTP gets an error response in the usual format', async () => {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.end('nonsense\r\n\r\n');
  const answer = Buffer.concat((await socket.toArray()) as Buffer[]).toString();
  assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/);
  assert.match(answer, /x-fish-trace-id: [0-9a-f]{32}\r\n/);
  assert.match(answer, /\r\n\r\n\{"status":400,"message":"[^"]+"\}$/);
});

test('a client that continues to send a rejected body is disconnected', async () => {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write(
    'POST /v1/tts HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100000000\r\n\r\n',
  );
  socket.resume();
  const startedAtMs = Date.now();
  const sending = setInterval(() => socket.write('x'.repeat(1000)), 100);
  // The connection may also end with a reset, which `once` would treat as a failure.
  await new Promise((resolve) => socket.once('close', resolve));
  clearInterval(sending);
  assert.ok(Date.now() - startedAtMs < 60_000);
});
