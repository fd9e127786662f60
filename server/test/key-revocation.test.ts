import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pack, unpack } from 'msgpackr';
import { WebSocket } from 'ws';
import { NANO_PER_USD } from '../src/billing/money.ts';
import { FIRST_ACCOUNT_ID } from '../src/keys/first-key.ts';
import { openDatabase } from '../src/storage/database.ts';
import { SqlKeyStore } from '../src/storage/sql-key-store.ts';
import { startTestServer, type TestServer } from './http-server.ts';
import { until } from './real-server.ts';

const CLOSED_WITHIN_MS = 2000;
const SECOND_NANO = 100_000;

let server: TestServer;
before(async () => {
  server = await startTestServer({ config: { billing: 'prepaid', socketsMax: 2 } });
  const { ledger } = server.books.accounting;
  await ledger.topUp({ id: 'top', accountId: FIRST_ACCOUNT_ID, amountNano: NANO_PER_USD, memo: '' });
});
after(() => server.close());

/** A live connection with a key of its own. */
async function connect() {
  const { key, id } = await server.keys.create({ accountId: FIRST_ACCOUNT_ID, name: 'live' });
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/v1/asr/live`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const closed = new Promise<{ code: number; reason: string; atMs: number }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString(), atMs: Date.now() }));
  });
  const received: { event: string }[] = [];
  socket.on('message', (data) => received.push(unpack(data as Buffer) as { event: string }));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return { key, id, socket, closed, received };
}

test('a key that is revoked over the API closes its live connections and fails on the next request', async () => {
  const { id, key, closed } = await connect();
  const revokedAtMs = Date.now();
  assert.equal((await server.call(`/v1/admin/keys/${id}`, { method: 'DELETE' })).status, 200);
  const { code, reason, atMs } = await closed;
  assert.deepEqual([code, reason], [1008, 'key_revoked']);
  assert.ok(atMs - revokedAtMs < CLOSED_WITHIN_MS);
  const headers = { authorization: `Bearer ${key}` };
  assert.equal((await fetch(`${server.url}/model`, { headers })).status, 401);
});

test('a key that another process revokes closes its live connections within two seconds', async () => {
  const { id, closed } = await connect();
  const elsewhere = await openDatabase(`${server.dataFolder}/mynah.db`);
  const revokedAtMs = Date.now();
  await new SqlKeyStore(elsewhere).revoke(id, revokedAtMs);
  await elsewhere.destroy();
  const { reason, atMs } = await closed;
  assert.equal(reason, 'key_revoked');
  assert.ok(atMs - revokedAtMs < CLOSED_WITHIN_MS, `${atMs - revokedAtMs} ms`);
});

test('an account has so many live connections and no more', async () => {
  const open = [await connect(), await connect()];
  const third = await connect();
  assert.deepEqual(await third.closed.then(({ reason }) => reason), 'too_many_connections');
  for (const { socket, closed } of open) {
    socket.close();
    await closed;
  }
  await until('they are forgotten', () => server.books.connections.countOf(FIRST_ACCOUNT_ID) === 0);
});

test('live hearing costs the seconds that were heard, rounded up', async () => {
  const { ledger } = server.books.accounting;
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
