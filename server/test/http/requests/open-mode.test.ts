import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { until } from '../../support/servers/real-server.ts';

const APP = 'https://app.example';

let open: TestServer;
let closed: TestServer;
before(async () => {
  open = await startTestServer({ config: { openMode: true, corsOrigins: [APP] } });
  closed = await startTestServer();
});
after(async () => {
  await open.close();
  await closed.close();
});

const asTenant = (token: string, path = '/model') =>
  fetch(open.url + path, { headers: { authorization: `Bearer ${token}` } });

/** The status of the handshake: 101 when the socket is open. */
async function handshake(server: TestServer, token: string, origin?: string): Promise<number> {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/v1/tts/live`, {
    headers: { authorization: `Bearer ${token}` },
    ...(origin !== undefined && { origin }),
  });
  return new Promise((resolve) => {
    socket.on('error', () => {});
    socket.once('open', () => {
      socket.terminate();
      resolve(101);
    });
    socket.once('unexpected-response', (_, response) => resolve(response.statusCode ?? 0));
  });
}

test('a deleted tenant is refused, and its sockets are closed; others are not', async () => {
  assert.equal((await asTenant('kitchen')).status, 200);
  assert.equal((await asTenant('garage')).status, 200);
  const accounts = await open.accounts.administration.listAccounts();
  const { id } = accounts.find(({ name }) => name === 'kitchen')!;
  const socket = new WebSocket(`${open.url.replace('http', 'ws')}/v1/tts/live`, {
    headers: { authorization: 'Bearer kitchen' },
  });
  await once(socket, 'open');
  const disconnected = once(socket, 'close');
  assert.equal((await open.call(`/v1/admin/accounts/${id}`, { method: 'DELETE' })).status, 200);
  assert.equal((await disconnected)[0], 1008);
  await until('the tenant is refused', async () => (await asTenant('kitchen')).status === 401);
  assert.equal((await asTenant('garage')).status, 200);
});

test('in open mode a WebSocket of another origin is refused', async () => {
  assert.equal(await handshake(open, 'hall', 'https://evil.example'), 403);
  assert.equal(await handshake(open, 'hall', 'null'), 403);
  assert.equal(await handshake(open, 'hall', new URL(open.url).origin), 101);
  assert.equal(await handshake(open, 'hall', APP), 101);
  assert.equal(await handshake(open, 'hall'), 101);
});

test('with keys required, the key is enough', async () => {
  assert.equal(await handshake(closed, closed.key, 'https://evil.example'), 101);
});
