import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { ApiError, ConnectionError } from './errors.ts';
import { openSocket } from './socket.ts';
import { Transport } from './transport.ts';

/** A server that does the handshake and then writes raw frames. */
async function setup(t: TestContext, onOpen: (stream: Duplex) => void) {
  const server = createServer((_request, response) => {
    response.writeHead(402, { 'x-fish-error-code': 'insufficient_balance' });
    response.end('{"status":402,"message":"No credit."}');
  });
  server.on('upgrade', (request, stream) => {
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64');
    stream.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    stream.on('error', () => {});
    onOpen(stream);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return new Transport({
    apiKey: 'key',
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  });
}

async function collect(messages: AsyncIterable<Uint8Array>): Promise<string[]> {
  const texts: string[] = [];
  for await (const message of messages) texts.push(new TextDecoder().decode(message));
  return texts;
}

test('messages in fragments, between pings and in single bytes arrive whole', async (t) => {
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
  const transport = await setup(t, async (stream) => {
    for (const byte of frames) {
      stream.write(Buffer.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  const socket = await openSocket(transport, '/live', {});
  assert.deepEqual(await collect(socket.messages()), ['abcd', 'x'.repeat(200)]);
});

test('what is sent is masked and can be unmasked, at every length of header', async (t) => {
  for (const length of [5, 300, 70_000]) {
    const received: Buffer[] = [];
    let isThere: () => void = () => {};
    const there = new Promise<void>((resolve) => (isThere = resolve));
    const transport = await setup(t, (stream) => {
      stream.on('data', (chunk: Buffer) => {
        received.push(chunk);
        if (Buffer.concat(received).length >= length + 6) isThere();
      });
    });
    const socket = await openSocket(transport, '/live', {});
    socket.send(new Uint8Array(length).fill(65));
    await there;
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

test('a connection that breaks is an error, not an end', async (t) => {
  const transport = await setup(t, (stream) => {
    stream.write(Buffer.from([0x82, 1, 65]));
    setTimeout(() => stream.destroy(), 20);
  });
  const socket = await openSocket(transport, '/live', {});
  await assert.rejects(collect(socket.messages()), ConnectionError);
});

test('an abort ends the wait with its reason', async (t) => {
  const transport = await setup(t, () => {});
  const abort = new AbortController();
  const socket = await openSocket(transport, '/live', { signal: abort.signal });
  setTimeout(() => abort.abort(new Error('enough')), 20);
  await assert.rejects(collect(socket.messages()), /enough/);
});

test('a refused handshake is the error of the server', async (t) => {
  const server = createServer().on('upgrade', (_request, stream) => {
    stream.end(
      'HTTP/1.1 402 Payment Required\r\nx-fish-error-code: insufficient_balance\r\nContent-Length: 38\r\n\r\n{"status":402,"message":"No credit. "}',
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await assert.rejects(openSocket(new Transport({ apiKey: 'key', baseUrl }), '/live', {}), (error) => {
    assert.ok(error instanceof ApiError);
    assert.deepEqual([error.status, error.code], [402, 'insufficient_balance']);
    return true;
  });
});
