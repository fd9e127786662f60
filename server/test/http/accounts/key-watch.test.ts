import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { pack, unpack } from 'msgpackr';
import { WebSocket } from 'ws';
import type { Scope } from '../../../src/domain/accounts/caller.ts';
import { FIRST_ACCOUNT_ID } from '../../../src/domain/accounts/keys/first-key.ts';
import { NANO_PER_USD } from '../../../src/domain/accounts/ledger/money.ts';
import { openDatabase } from '../../../src/infrastructure/sql/database.ts';
import { SqlKeyStore } from '../../../src/infrastructure/sql/sql-key-store.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { until } from '../../support/servers/real-server.ts';

let server: TestServer;
before(async () => {
  server = await startTestServer({ config: { billing: 'prepaid' } });
  const { ledger } = server.accounts.accounting;
  await ledger.topUp({ id: 'top', accountId: FIRST_ACCOUNT_ID, amountNano: 100 * NANO_PER_USD, memo: '' });
});
after(() => server.close());

const newKey = (scopes?: readonly Scope[]) =>
  server.keys.create({ accountId: FIRST_ACCOUNT_ID, name: 'stream', scopes });
const revoke = (id: string) => server.call(`/v1/admin/keys/${id}`, { method: 'DELETE' });
const changeKey = (id: string, change: object) =>
  server.call(`/v1/admin/keys/${id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(change),
  });
const callAs = (key: string, path: string, init: RequestInit = {}) =>
  server.call(path, { ...init, headers: { ...init.headers, authorization: `Bearer ${key}` } });

/** A long text, of whose speech the client has read the beginning. */
const speech = (path: string) => async (key: string) => {
  const body = JSON.stringify({ text: 'word '.repeat(20_000), format: 'pcm' });
  const headers = { 'content-type': 'application/json' };
  return callAs(key, path, { method: 'POST', headers, body });
};

/** The events of a job that takes a minute. */
async function followJob(key: string) {
  server.transcription.msPerLine = 60_000;
  const submitted = await callAs(key, '/v1/asr?async=true', {
    method: 'POST',
    headers: { 'content-type': 'application/msgpack' },
    body: pack({ audio: Buffer.from('audio:hello') }),
  });
  const { id } = (await submitted.json()) as { id: string };
  return callAs(key, `/v1/asr/${id}`, { headers: { accept: 'text/event-stream' } });
}

const STREAMS = [
  ['speech', speech('/v1/tts')],
  ['speech with timestamps', speech('/v1/tts/stream/with-timestamp')],
  ['events of a job', followJob],
] as const;

/** Rejects when the server closes the connection before the end of the body. */
async function readAll(response: Response): Promise<void> {
  for await (const _ of response.body!);
}

for (const [what, open] of STREAMS) {
  test(`${what}: a stream ends when its key is revoked over the API`, async () => {
    const { key, id } = await newKey();
    const response = await open(key);
    assert.equal(response.status, 200);
    await revoke(id);
    await assert.rejects(readAll(response));
    await until('the speech stops', () => server.speech.active === 0);
  });

  test(`${what}: a stream ends when its key is revoked in another process`, async () => {
    const { key, id } = await newKey();
    const response = await open(key);
    const elsewhere = await openDatabase(server.databaseAddress);
    await new SqlKeyStore(elsewhere).revoke(id, Date.now());
    await elsewhere.destroy();
    await assert.rejects(readAll(response));
    await until('the speech stops', () => server.speech.active === 0);
  });

  test(`${what}: a stream ends when its key loses the scope`, async () => {
    const { key, id } = await newKey();
    const response = await open(key);
    await changeKey(id, { scopes: ['voices:read'] });
    await assert.rejects(readAll(response));
  });
}

test('a key that revokes itself gets a response', async () => {
  const { key, id } = await newKey(['admin']);
  const response = await callAs(key, `/v1/admin/keys/${id}`, { method: 'DELETE' });
  assert.equal(response.status, 200);
  assert.equal((await callAs(key, '/v1/admin/keys')).status, 401);
});

async function connect(key: string, path: string) {
  const socket = new WebSocket(server.url.replace('http', 'ws') + path, {
    headers: { authorization: `Bearer ${key}` },
  });
  const received: { event: string; code?: string }[] = [];
  socket.on('message', (data) => received.push(unpack(data as Buffer) as { event: string }));
  await once(socket, 'open');
  return { socket, received, send: (message: object) => socket.send(pack(message)) };
}

for (const path of ['/v1/tts/live', '/v1/asr/live']) {
  test(`${path}: the socket closes when its key loses the scope`, async () => {
    const { key, id } = await newKey();
    const { socket, received } = await connect(key, path);
    const closed = once(socket, 'close');
    await changeKey(id, { scopes: ['voices:read'] });
    const [code, reason] = (await closed) as [number, Buffer];
    assert.deepEqual([code, reason.toString()], [1008, 'scope_removed']);
    assert.ok(received.some((message) => message.code === 'insufficient_scope'));
  });
}

test('a new spend cap applies to the sessions of an open socket', async () => {
  const { key, id } = await newKey();
  const { socket, received, send } = await connect(key, '/v1/asr/live');
  const speakOnce = async () => {
    received.length = 0;
    send({ event: 'start', request: {} });
    send({ event: 'audio', audio: Buffer.alloc(16_000 * 2) });
    send({ event: 'stop' });
    await until('it is over', () => received.some(({ event }) => event === 'finish'));
    return received.find(({ event }) => event === 'error')?.code;
  };
  assert.equal(await speakOnce(), undefined);
  await changeKey(id, { spend_cap: '0.00000001' });
  // Within a second; each session is charged a little, so the cap is reached at once when it is known.
  await until('the cap applies', async () => (await speakOnce()) === 'spend_cap_reached');
  socket.terminate();
});
