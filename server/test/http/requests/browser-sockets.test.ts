import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { pack, unpack } from 'msgpackr';
import { WebSocket } from 'ws';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { until } from '../../support/servers/real-server.ts';

let server: TestServer;
before(async () => {
  server = await startTestServer();
});
after(() => server.close());

/** Opens a socket as a browser does: no headers, the key as a subprotocol, the model in the query. */
function open(path: string, protocols = ['mynah', `mynah.key.${server.key}`]): WebSocket {
  return new WebSocket(server.url.replace('http', 'ws') + path, protocols);
}

const ROUTES = [
  { path: '/v1/tts/live', message: { event: 'start', request: { text: 'Hello.', format: 'pcm' } } },
  {
    path: '/v1/tts/live/with-timestamp',
    message: { event: 'start', request: { text: 'Hello.', format: 'pcm' } },
  },
  { path: '/v1/asr/live', message: { event: 'start', request: {} } },
];

for (const { path, message } of ROUTES) {
  test(`${path} accepts the key as a subprotocol and selects one that is not the key`, async () => {
    const socket = open(path);
    const events: string[] = [];
    socket.on('message', (data) => events.push((unpack(data as Buffer) as { event: string }).event));
    await once(socket, 'open');
    assert.equal(socket.protocol, 'mynah');
    socket.send(pack(message));
    socket.send(pack({ event: 'stop' }));
    await until('a finish frame', () => events.includes('finish'));
    socket.close();
  });

  test(`${path} rejects subprotocols without a valid key`, async () => {
    for (const protocols of [['mynah'], ['mynah', 'mynah.key.wrong'], []]) {
      const [error] = (await once(open(path, protocols), 'error')) as [Error];
      assert.match(error.message, /401/);
    }
  });
}

test('the model can be a query parameter', async () => {
  const socket = open('/v1/tts/live?model=s1');
  await once(socket, 'open');
  socket.send(pack({ event: 'start', request: { text: 'By a page.', format: 'pcm' } }));
  await until('the speech request', () => server.speech.requests.at(-1)?.text === 'By a page.');
  assert.equal(server.speech.requests.at(-1)?.model, 's1');
  socket.close();
});

test('HTTP routes do not accept a key in the query or as a subprotocol', async () => {
  const headers = { 'sec-websocket-protocol': `mynah, mynah.key.${server.key}` };
  assert.equal((await fetch(`${server.url}/model`, { headers })).status, 401);
  assert.equal((await fetch(`${server.url}/model?api_key=${server.key}`)).status, 401);
});
