import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';

const ORIGIN = 'https://app.example';

async function withOrigins(
  corsOrigins: string[],
  work: (server: TestServer) => Promise<void>,
): Promise<void> {
  const server = await startTestServer({ config: { corsOrigins } });
  try {
    await work(server);
  } finally {
    await server.close();
  }
}

const preflight = (server: TestServer, origin: string) =>
  fetch(`${server.url}/v1/tts`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,model',
    },
  });

test('no origin is allowed by default', () =>
  withOrigins([], async (server) => {
    const response = await server.speak({ text: 'hi' }, { origin: ORIGIN });
    await response.arrayBuffer();
    assert.equal(response.headers.get('access-control-allow-origin'), null);
    assert.equal((await preflight(server, ORIGIN)).status, 405);
  }));

test('configured origins are allowed, others are not', () =>
  withOrigins([ORIGIN], async (server) => {
    const allowed = await preflight(server, ORIGIN);
    assert.equal(allowed.status, 204);
    assert.equal(allowed.headers.get('access-control-allow-origin'), ORIGIN);
    assert.equal(allowed.headers.get('access-control-allow-headers'), 'authorization,model');
    const refused = await preflight(server, 'https://evil.example');
    assert.equal(refused.headers.get('access-control-allow-origin'), null);

    const speech = await server.speak({ text: 'hi' }, { origin: ORIGIN });
    await speech.arrayBuffer();
    assert.equal(speech.headers.get('access-control-allow-origin'), ORIGIN);
    assert.match(speech.headers.get('access-control-expose-headers') ?? '', /x-mynah-voice/);
  }));

test('a wildcard allows all origins, also to read errors', () =>
  withOrigins(['*'], async (server) => {
    const response = await fetch(`${server.url}/model`, { headers: { origin: ORIGIN } });
    assert.equal(response.status, 401);
    assert.equal(response.headers.get('access-control-allow-origin'), '*');
  }));
