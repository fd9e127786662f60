import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { AuthenticationError, ConnectionError, MynahError, RateLimitError, TimeoutError } from '../errors.ts';
import { Transport } from './transport.ts';

type Handler = (request: IncomingMessage, response: ServerResponse, attempt: number) => void;

/** Starts a server with this handler, and returns a transport to it. */
async function setup(t: TestContext, handler: Handler) {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    handler(request, response, seen.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { seen, transport: new Transport({ apiKey: 'key', baseUrl }) };
}

function fail(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'x-fish-error-code': 'some_code', 'x-fish-trace-id': 'abc', ...headers });
  response.end(JSON.stringify({ status, message: `No: ${status}` }));
}

test('a retry waits for Retry-After and has the same idempotency key', async (t) => {
  const { seen, transport } = await setup(t, (_request, response, attempt) =>
    attempt < 3 ? fail(response, 429, { 'retry-after': '0' }) : response.end('{"ok":true}'),
  );
  const response = await transport.send({ method: 'POST', path: '/x', json: { y: 1 } });
  assert.deepEqual(await response.json(), { ok: true });
  const keys = seen.map(({ headers }) => headers['idempotency-key']);
  assert.equal(keys.length, 3);
  assert.equal(new Set(keys).size, 1);
  assert.match(String(keys[0]), /^[0-9a-f-]{36}$/);
});

test('after the last retry the error has status, code and request id', async (t) => {
  const { seen, transport } = await setup(t, (_request, response) =>
    fail(response, 429, { 'retry-after': '0' }),
  );
  await assert.rejects(transport.send({ method: 'GET', path: '/x' }, { maxRetries: 1 }), (error) => {
    assert.ok(error instanceof RateLimitError);
    assert.deepEqual([error.status, error.code, error.requestId], [429, 'some_code', 'abc']);
    assert.equal(error.message, 'No: 429');
    return true;
  });
  assert.equal(seen.length, 2);
});

test('a rejected request is not retried', async (t) => {
  const { seen, transport } = await setup(t, (_request, response) => fail(response, 401));
  await assert.rejects(transport.send({ method: 'POST', path: '/x' }), AuthenticationError);
  assert.equal(seen.length, 1);
});

test('a connection that breaks before the response is retried', async (t) => {
  const { seen, transport } = await setup(t, (request, response, attempt) =>
    attempt === 1 ? request.socket.destroy() : response.end('"there"'),
  );
  const response = await transport.send({ method: 'GET', path: '/x' });
  assert.equal(await response.json(), 'there');
  assert.equal(seen.length, 2);
});

test('a truncated body throws', async (t) => {
  const { transport } = await setup(t, (_request, response) => {
    response.write('half');
    setTimeout(() => response.destroy(), 20);
  });
  const response = await transport.send({ method: 'GET', path: '/x' });
  await assert.rejects(async () => {
    for await (const _ of response.bytes());
  }, ConnectionError);
});

test('the timeout applies before and during the response', async (t) => {
  const silent = await setup(t, () => {});
  await assert.rejects(
    silent.transport.send({ method: 'GET', path: '/x' }, { timeoutMs: 50, maxRetries: 0 }),
    TimeoutError,
  );
  const stalled = await setup(t, (_request, response) => void response.write('half'));
  const response = await stalled.transport.send({ method: 'GET', path: '/x' }, { timeoutMs: 1000 });
  await assert.rejects(async () => {
    for await (const _ of response.bytes());
  }, TimeoutError);
});

test('leaving a stream early closes the connection', async (t) => {
  let closed: () => void = () => {};
  const left = new Promise<void>((resolve) => (closed = resolve));
  const { transport } = await setup(t, (_request, response) => {
    response.on('close', closed);
    response.write('one');
  });
  const response = await transport.send({ method: 'GET', path: '/x' });
  for await (const _ of response.bytes()) break;
  await left;
});

test('an abort rejects with its reason, also during the wait for a retry', async (t) => {
  const { transport } = await setup(t, (_request, response) => fail(response, 503, { 'retry-after': '20' }));
  const reason = new Error('enough');
  const abort = new AbortController();
  setTimeout(() => abort.abort(reason), 50);
  await assert.rejects(transport.send({ method: 'GET', path: '/x' }, { signal: abort.signal }), reason);
  await assert.rejects(transport.send({ method: 'GET', path: '/x' }, { signal: abort.signal }), reason);
});

test('lists in a query repeat their name, and undefined values are omitted', async (t) => {
  const { seen, transport } = await setup(t, (_request, response) => response.end('{}'));
  const query = { tag: ['a', 'b&c'], self: true, title: undefined };
  await (await transport.send({ method: 'GET', path: '/model', query })).text();
  assert.equal(seen[0]?.url, '/model?tag=a&tag=b%26c&self=true');
  assert.equal(seen[0]?.headers.authorization, 'Bearer key');
});

test('a missing key is an error', async () => {
  const { MYNAH_API_KEY, FISH_API_KEY } = process.env;
  delete process.env.MYNAH_API_KEY;
  delete process.env.FISH_API_KEY;
  try {
    await assert.rejects(new Transport({}).send({ method: 'GET', path: '/' }), (error) => {
      assert.ok(error instanceof MynahError);
      assert.match(error.message, /MYNAH_API_KEY/);
      return true;
    });
  } finally {
    if (MYNAH_API_KEY !== undefined) process.env.MYNAH_API_KEY = MYNAH_API_KEY;
    if (FISH_API_KEY !== undefined) process.env.FISH_API_KEY = FISH_API_KEY;
  }
});
