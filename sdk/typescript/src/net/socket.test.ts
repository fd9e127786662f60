import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type TestContext, test } from 'node:test';
import * as ws from 'ws';
import { ApiError, ConnectionError, TimeoutError } from '../errors.ts';
import type { Connector } from './connector.ts';
import { connectWithPlatform } from './platform-socket.ts';
import { openSocket } from './socket.ts';
import { Transport } from './transport.ts';
import { connectWithWs } from './ws-socket.ts';

/** Node 20 has no WebSocket of its own. */
const CONNECTORS: readonly (readonly [string, Connector])[] = [
  ['ws', connectWithWs(ws)],
  ...(typeof WebSocket === 'undefined' ? [] : [['the platform', connectWithPlatform] as const]),
];

/** Starts an HTTP server with this upgrade handler, and returns a transport to it. */
async function serveUpgrades(
  t: TestContext,
  onUpgrade: (request: IncomingMessage, stream: Duplex) => void,
): Promise<Transport> {
  const server = createServer((_request, response) => {
    response.writeHead(402, { 'x-fish-error-code': 'insufficient_balance' });
    response.end('{"status":402,"message":"No credit."}');
  });
  const streams = new Set<Duplex>();
  server.on('upgrade', (request, stream) => {
    streams.add(stream);
    stream.on('error', () => {});
    onUpgrade(request, stream);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const stream of streams) stream.destroy();
    server.closeAllConnections();
    server.close();
  });
  return new Transport({
    apiKey: 'key',
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  });
}

/** Starts a server that completes the handshake and then writes raw frames. */
function serveFrames(t: TestContext, onOpen: (stream: Duplex, request: IncomingMessage) => void) {
  return serveUpgrades(t, (request, stream) => {
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64');
    stream.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    onOpen(stream, request);
  });
}

async function collect(messages: AsyncIterable<Uint8Array>): Promise<string[]> {
  const texts: string[] = [];
  for await (const message of messages) texts.push(new TextDecoder().decode(message));
  return texts;
}

for (const [name, connector] of CONNECTORS) {
  test(`${name}: fragmented messages, pings and single bytes are reassembled; text is ignored`, async (t) => {
    const frames = Buffer.concat([
      Buffer.from([0x02, 2]),
      Buffer.from('ab'),
      Buffer.from([0x89, 1, 0x21]),
      Buffer.from([0x80, 2]),
      Buffer.from('cd'),
      Buffer.from([0x81, 4]),
      Buffer.from('text'),
      Buffer.from([0x82, 126, 0, 200]),
      Buffer.alloc(200, 'x'),
      Buffer.from([0x88, 2, 0x03, 0xe8]),
    ]);
    const transport = await serveFrames(t, async (stream) => {
      for (const byte of frames) {
        stream.write(Buffer.of(byte));
        await new Promise((resolve) => setImmediate(resolve));
      }
      stream.end();
    });
    const socket = await openSocket(transport, '/live', { connector });
    assert.deepEqual(await collect(socket.messages()), ['abcd', 'x'.repeat(200)]);
  });

  test(`${name}: sent messages are masked, at every length of the header`, async (t) => {
    for (const length of [5, 300, 70_000]) {
      const received: Buffer[] = [];
      let onComplete: () => void = () => {};
      const complete = new Promise<void>((resolve) => (onComplete = resolve));
      const transport = await serveFrames(t, (stream) => {
        stream.on('data', (chunk: Buffer) => {
          received.push(chunk);
          if (Buffer.concat(received).length >= length + 6) onComplete();
        });
      });
      const socket = await openSocket(transport, '/live', { connector });
      socket.send(new Uint8Array(length).fill(65));
      await complete;
      const frame = Buffer.concat(received);
      const headSize = length < 126 ? 2 : length < 65_536 ? 4 : 10;
      assert.equal(frame[0], 0x82);
      assert.ok((frame[1] as number) >= 0x80);
      const mask = frame.subarray(headSize, headSize + 4);
      const first = frame.subarray(headSize + 4, headSize + 8).map((byte, i) => byte ^ (mask[i] as number));
      assert.equal(first.toString(), 'AAAA');
      socket.close();
    }
  });

  test(`${name}: the handshake has the key, the model and further headers`, async (t) => {
    let handshake: IncomingMessage | undefined;
    const transport = await serveFrames(t, (_stream, request) => (handshake = request));
    const headers = { 'x-test': 'yes' };
    const socket = await openSocket(transport, '/live', { connector, model: 's1', headers });
    assert.equal(handshake?.headers.authorization, 'Bearer key');
    assert.equal(handshake?.headers.model, 's1');
    assert.equal(handshake?.headers['x-test'], 'yes');
    socket.close();
  });

  test(`${name}: a broken connection is an error, not an end`, async (t) => {
    const transport = await serveFrames(t, (stream) => {
      stream.write(Buffer.from([0x82, 1, 65]));
      setTimeout(() => stream.destroy(), 20);
    });
    const socket = await openSocket(transport, '/live', { connector });
    await assert.rejects(collect(socket.messages()), ConnectionError);
  });

  test(`${name}: a message above the limit is an error`, async (t) => {
    const transport = await serveFrames(t, (stream) => {
      stream.write(Buffer.concat([Buffer.from([0x82, 126, 0, 200]), Buffer.alloc(200, 'x')]));
    });
    const accepted = await openSocket(transport, '/live', { connector, messageMaxBytes: 200 });
    const { value } = await accepted.messages().next();
    assert.equal(value?.length, 200);
    accepted.close();
    const rejecting = await openSocket(transport, '/live', { connector, messageMaxBytes: 199 });
    await assert.rejects(collect(rejecting.messages()), ConnectionError);
  });

  test(`${name}: aborting an open socket ends the messages with the reason`, async (t) => {
    const transport = await serveFrames(t, () => {});
    const abort = new AbortController();
    const socket = await openSocket(transport, '/live', { connector, signal: abort.signal });
    setTimeout(() => abort.abort(new Error('enough')), 20);
    await assert.rejects(collect(socket.messages()), /enough/);
  });

  test(`${name}: aborting while connecting rejects with the reason and closes the connection`, async (t) => {
    const abort = new AbortController();
    const ended: Promise<void>[] = [];
    const transport = await serveUpgrades(t, (_request, stream) => {
      ended.push(new Promise((resolve) => stream.once('end', resolve).once('close', resolve).resume()));
      abort.abort(new Error('enough'));
    });
    await assert.rejects(openSocket(transport, '/live', { connector, signal: abort.signal }), /enough/);
    await Promise.all(ended);
    await assert.rejects(openSocket(transport, '/live', { connector, signal: abort.signal }), /enough/);
  });

  test(`${name}: a server that does not complete the handshake is a TimeoutError`, async (t) => {
    const transport = await serveUpgrades(t, () => {});
    await assert.rejects(openSocket(transport, '/live', { connector, timeoutMs: 50 }), TimeoutError);
  });

  test(`${name}: a rejected handshake is the error of the server`, async (t) => {
    const transport = await serveUpgrades(t, (_request, stream) => {
      stream.end(
        'HTTP/1.1 402 Payment Required\r\nx-fish-error-code: insufficient_balance\r\nContent-Length: 38\r\n\r\n{"status":402,"message":"No credit. "}',
      );
    });
    await assert.rejects(openSocket(transport, '/live', { connector }), (error) => {
      assert.ok(error instanceof ApiError);
      assert.deepEqual([error.status, error.code], [402, 'insufficient_balance']);
      return true;
    });
  });

  test(`${name}: an unreachable server is a ConnectionError`, async () => {
    const transport = new Transport({ apiKey: 'key', baseUrl: 'http://127.0.0.1:1' });
    await assert.rejects(openSocket(transport, '/live', { connector }), ConnectionError);
  });
}

test('without an explicit implementation a socket opens', async (t) => {
  const transport = await serveFrames(t, (stream) => stream.write(Buffer.from([0x82, 1, 65])));
  const socket = await openSocket(transport, '/live', {});
  assert.deepEqual((await socket.messages().next()).value?.length, 1);
  socket.close();
});
