import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import fastify from 'fastify';
import { addResponseDeadline } from './response-deadline.ts';

test('a client that does not read a response in memory is disconnected', async (t) => {
  const app = fastify();
  t.after(() => app.close());
  // More than the buffers of the system hold.
  const body = Buffer.alloc(64 * 2 ** 20, 97);
  let resolve = () => {};
  const isClosed = new Promise<void>((done) => {
    resolve = done;
  });
  app.addHook('onRequest', async (_request, reply) => {
    reply.raw.once('close', () => resolve());
  });
  addResponseDeadline(app, { stallMs: 300, minBytesPerSecond: body.length });
  app.get('/', async () => body);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const stalled = connect(Number(new URL(url).port), '127.0.0.1');
  t.after(() => stalled.destroy());
  stalled.on('error', () => {});
  stalled.pause();
  stalled.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await isClosed;
  let received = 0;
  stalled.on('data', (chunk) => {
    received += chunk.length;
  });
  stalled.resume();
  await once(stalled, 'close');
  assert.ok(received < body.length, `${received}`);
});

test('a response that was read leaves no timer that closes its connection', async (t) => {
  const app = fastify();
  t.after(() => app.close());
  addResponseDeadline(app, { stallMs: 50 });
  const closed: unknown[] = [];
  app.server.on('connection', (socket) => socket.on('close', () => closed.push(socket)));
  app.get('/fast', async () => 'a');
  app.get('/slow', async () => {
    await new Promise((resolve) => setTimeout(resolve, 200));
    return 'b';
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  assert.equal(await (await fetch(`${url}/fast`)).text(), 'a');
  assert.equal(await (await fetch(`${url}/slow`)).text(), 'b');
  assert.deepEqual(closed, []);
});
