import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { pack, unpack } from 'msgpackr';
import { WebSocket } from 'ws';
import { FIRST_ACCOUNT_ID } from '../../../src/domain/accounts/keys/first-key.ts';
import { NANO_PER_USD } from '../../../src/domain/accounts/ledger/money.ts';
import { openDatabase } from '../../../src/infrastructure/sql/database.ts';
import { SqlKeyStore } from '../../../src/infrastructure/sql/sql-key-store.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { until } from '../../support/servers/real-server.ts';

/** Less than the 30 s that `ws` waits for the close frame of a client. */
const CLOSED_WITHIN_MS = 20_000;
const SECOND_NANO = 100_000;

let server: TestServer;
before(async () => {
  server = await startTestServer({ config: { billing: 'prepaid', socketsMax: 2 } });
  const { ledger } = server.accounts.accounting;
  await ledger.topUp({ id: 'top', accountId: FIRST_ACCOUNT_ID, amountNano: NANO_PER_USD, memo: '' });
});
after(() => server.close());

const LIVE_PATHS = ['/v1/asr/live', '/v1/tts/live', '/v1/tts/live/with-timestamp'];

const newKey = () => server.keys.create({ accountId: FIRST_ACCOUNT_ID, name: 'live' });

/** A live connection with its own key. */
async function connect(path = '/v1/asr/live') {
  const { key, id } = await newKey();
  const socket = new WebSocket(server.url.replace('http', 'ws') + path, {
    headers: { authorization: `Bearer ${key}` },
  });
  const closed = new Promise<{ code: number; reason: string; atMs: number }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString(), atMs: Date.now() }));
  });
  const received: { event: string; code?: string }[] = [];
  socket.on('message', (data) => received.push(unpack(data as Buffer) as { event: string }));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return { key, id, socket, closed, received };
}

const revoke = (id: string) => server.call(`/v1/admin/keys/${id}`, { method: 'DELETE' });

for (const path of LIVE_PATHS) {
  test(`${path}: revoking a key over the API closes its sockets and rejects the next request`, async () => {
    const { id, key, closed, received } = await connect(path);
    const revokedAtMs = Date.now();
    assert.equal((await revoke(id)).status, 200);
    const { code, reason, atMs } = await closed;
    assert.deepEqual([code, reason], [1008, 'key_revoked']);
    assert.ok(received.some((message) => message.code === 'invalid_api_key'));
    assert.ok(atMs - revokedAtMs < CLOSED_WITHIN_MS, `${atMs - revokedAtMs} ms`);
    const headers = { authorization: `Bearer ${key}` };
    assert.equal((await fetch(`${server.url}/model`, { headers })).status, 401);
  });

  test(`${path}: revoking a key in another process closes its sockets`, async () => {
    const { id, closed } = await connect(path);
    const elsewhere = await openDatabase(server.databaseAddress);
    const revokedAtMs = Date.now();
    await new SqlKeyStore(elsewhere).revoke(id, revokedAtMs);
    await elsewhere.destroy();
    const { reason, atMs } = await closed;
    assert.equal(reason, 'key_revoked');
    assert.ok(atMs - revokedAtMs < CLOSED_WITHIN_MS, `${atMs - revokedAtMs} ms`);
  });

  test(`${path}: an unresponsive client is disconnected when its key is revoked`, async () => {
    const { key, id } = await newKey();
    const handshake = request(server.url + path, {
      headers: {
        authorization: `Bearer ${key}`,
        connection: 'upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
      },
    }).end();
    const [, connection] = (await once(handshake, 'upgrade')) as [unknown, Socket];
    connection.resume();
    const revokedAtMs = Date.now();
    await revoke(id);
    await once(connection, 'close');
    assert.ok(Date.now() - revokedAtMs < CLOSED_WITHIN_MS);
  });
}

test('a session ends when its key is revoked', async () => {
  const { id, socket, closed, received } = await connect('/v1/tts/live');
  const send = (message: object) => socket.send(pack(message));
  server.speech.pauseAfterChunks = 1;
  send({ event: 'start', request: { text: 'A long text.', format: 'pcm' } });
  send({ event: 'flush' });
  await until('it speaks', () => received.some(({ event }) => event === 'audio'));
  await revoke(id);
  assert.equal((await closed).code, 1008);
  await until('the speech stops', () => server.speech.active === 0);
  server.speech.pauseAfterChunks = Number.POSITIVE_INFINITY;
  assert.ok(received.some(({ event, code }) => event === 'error' && code === 'invalid_api_key'));
});

test('the limit of live connections per account applies', async () => {
  const open = [await connect('/v1/tts/live'), await connect()];
  for (const path of LIVE_PATHS) await assert.rejects(connect(path), /429/);
  for (const { socket, closed } of open) {
    socket.close();
    await closed;
  }
  await until('they are forgotten', () => server.accounts.connections.countOf(FIRST_ACCOUNT_ID) === 0);
});

test('a client that leaves live transcription is charged for the results that were sent', async () => {
  const { ledger } = server.accounts.accounting;
  const spentNano = async () => (await ledger.wallet(FIRST_ACCOUNT_ID)).spentNano;
  const beforeNano = await spentNano();
  const { socket, received } = await connect();
  const send = (message: object) => socket.send(pack(message));
  send({ event: 'start', request: {} });
  send({ event: 'audio', audio: Buffer.alloc(2 * 16_000 * 2) });
  send({ event: 'flush' });
  await until('a segment is told', () => received.some(({ event }) => event === 'segment'));
  socket.terminate();
  await until('it is paid for', async () => (await spentNano()) - beforeNano === 2 * SECOND_NANO);
});

test('live transcription is charged per second of audio, rounded up', async () => {
  const { ledger } = server.accounts.accounting;
  const spentNano = async () => (await ledger.wallet(FIRST_ACCOUNT_ID)).spentNano;
  const beforeNano = await spentNano();
  const { socket, received, closed } = await connect();
  const send = (message: object) => socket.send(pack(message));
  send({ event: 'start', request: {} });
  send({ event: 'audio', audio: Buffer.alloc(1.2 * 16_000 * 2) });
  send({ event: 'stop' });
  await until('it is over', () => received.some(({ event }) => event === 'finish'));
  await until('it is settled', async () => (await spentNano()) - beforeNano === 2 * SECOND_NANO);
  socket.close();
  await closed;
  assert.deepEqual((await ledger.verify()).problems, []);
});
