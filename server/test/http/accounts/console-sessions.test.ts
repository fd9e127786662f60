import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FIRST_ACCOUNT_ID } from '../../../src/domain/accounts/keys/first-key.ts';
import { FAILED_LOGINS_MAX } from '../../../src/domain/accounts/sessions/login-limit.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { RecordingCloner } from '../../support/workers/recording-cloner.ts';

let server: TestServer;
before(async () => {
  server = await startTestServer({ voices: { cloner: new RecordingCloner('kokoro-fast') } });
});
after(() => server.close());

const JSON_TYPE = { 'content-type': 'application/json' };

function login(body: object, headers: Record<string, string> = {}, url = server.url): Promise<Response> {
  return fetch(`${url}/v1/console/session`, {
    method: 'POST',
    headers: { ...JSON_TYPE, ...headers },
    body: JSON.stringify(body),
  });
}

/** The cookie that a login sets, as a browser would send it. */
async function cookieFor(key = server.key, url = server.url): Promise<string> {
  const response = await login({ key }, {}, url);
  assert.equal(response.status, 201);
  return response.headers.get('set-cookie')!.split(';')[0]!;
}

function get(path: string, cookie: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(server.url + path, { headers: { cookie, 'sec-fetch-site': 'same-origin', ...headers } });
}

async function assertError(response: Response, status: number, code: string): Promise<void> {
  assert.equal(response.headers.get('x-fish-error-code'), code);
  assert.equal(response.status, status);
  await response.body?.cancel();
}

test('a login with a key sets a cookie that authenticates requests of the console', async () => {
  const response = await login({ key: server.key }, { 'user-agent': 'Test browser' });
  const header = response.headers.get('set-cookie')!;
  assert.match(header, /^mynah-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+$/);
  const state = (await (await get('/v1/console/session', header.split(';')[0]!)).json()) as {
    session: { user_agent: string; is_current: boolean };
    account: { id: string };
    key: { scopes: string[] };
  };
  assert.equal(state.account.id, FIRST_ACCOUNT_ID);
  assert.equal(state.session.user_agent, 'Test browser');
  assert.ok(state.session.is_current);
  assert.ok(state.key.scopes.includes('admin'));
});

test('on a page loaded over HTTPS the cookie is secure and has the __Host- prefix', async () => {
  const headers = { origin: 'https://voice.example', 'sec-fetch-site': 'same-origin' };
  const response = await login({ key: server.key }, headers);
  const header = response.headers.get('set-cookie')!;
  assert.match(header, /^__Host-mynah-session=[\w-]{43}; Secure; Path=\/; HttpOnly; SameSite=Lax/);
  assert.equal((await get('/v1/console/session', header.split(';')[0]!)).status, 200);
});

test('the cookie speaks, and its scopes are those of the key', async () => {
  const cookie = await cookieFor(await server.createKeyFor('acc_session_scopes'));
  const speech = await fetch(`${server.url}/v1/tts`, {
    method: 'POST',
    headers: { cookie, ...JSON_TYPE, 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ text: 'hi' }),
  });
  assert.equal(speech.status, 200);
  assert.ok((await speech.arrayBuffer()).byteLength > 100);
  await assertError(await get('/v1/admin/accounts', cookie), 403, 'insufficient_scope');
});

const FOREIGN: readonly [string, Record<string, string>][] = [
  ['another site', { 'sec-fetch-site': 'cross-site' }],
  ['a subdomain of the same site', { 'sec-fetch-site': 'same-site' }],
  ['the address bar', { 'sec-fetch-site': 'none' }],
  ['a foreign origin without fetch metadata', { origin: 'http://evil.example' }],
  ['an opaque origin', { origin: 'null' }],
  ['a program that sends nothing but the cookie', {}],
];
for (const [what, headers] of FOREIGN) {
  test(`a request with the cookie from ${what} is refused and changes nothing`, async () => {
    const cookie = await cookieFor();
    const created = await fetch(`${server.url}/v1/admin/accounts`, {
      method: 'POST',
      headers: { cookie, ...JSON_TYPE, ...headers },
      body: JSON.stringify({ name: `forged by ${what}` }),
    });
    await assertError(created, 403, 'cross_site_request');
    const { items } = (await (await server.call('/v1/admin/accounts')).json()) as {
      items: { name: string }[];
    };
    assert.ok(!items.some(({ name }) => name.startsWith('forged')));
  });
}

test('on plain HTTP without fetch metadata a matching Origin or Referer is accepted', async () => {
  const cookie = await cookieFor();
  for (const headers of [{ origin: server.url }, { referer: `${server.url}/voices` }]) {
    const response = await fetch(`${server.url}/v1/usage`, { headers: { cookie, ...headers } });
    assert.equal(response.status, 200);
    await response.body?.cancel();
  }
});

test('a page of another site cannot log a browser in', async () => {
  await assertError(
    await login({ key: server.key }, { 'sec-fetch-site': 'cross-site' }),
    403,
    'cross_site_request',
  );
});

test('an open page ignores the cookie of a link from another site', async () => {
  const cookie = await cookieFor();
  const response = await get('/v1/health', cookie, { 'sec-fetch-site': 'cross-site' });
  assert.equal(response.status, 200);
  await response.body?.cancel();
});

test('an API key takes precedence over the cookie', async () => {
  const cookie = await cookieFor();
  const wrong = { authorization: `Bearer mynah_${'0'.repeat(10)}_${'0'.repeat(32)}` };
  await assertError(await get('/v1/console/session', cookie, wrong), 401, 'invalid_api_key');
});

test('a login link works once', async () => {
  const [key] = await server.keys.list(FIRST_ACCOUNT_ID);
  const link = server.accounts.sessions.links.create(key!.id);
  assert.equal((await login({ link })).status, 201);
  await assertError(await login({ link }), 401, 'invalid_login_link');
});

test('logging out ends the session and removes the cookie', async () => {
  const cookie = await cookieFor();
  const response = await fetch(`${server.url}/v1/console/session`, {
    method: 'DELETE',
    headers: { cookie, 'sec-fetch-site': 'same-origin' },
  });
  assert.equal(response.status, 204);
  assert.match(response.headers.get('set-cookie')!, /mynah-session=; .*Max-Age=0/);
  await assertError(await get('/v1/console/session', cookie), 401, 'invalid_api_key');
});

test('sessions are listed, and a revoked one fails on its next request', async () => {
  const key = await server.createKeyFor('acc_session_list');
  const [kept, revoked] = [await cookieFor(key), await cookieFor(key)];
  const listed = (await (await get('/v1/console/sessions', kept)).json()) as {
    items: { id: string; is_current: boolean }[];
  };
  assert.equal(listed.items.length, 2);
  const other = listed.items.find(({ is_current }) => !is_current)!;
  const response = await fetch(`${server.url}/v1/console/sessions/${other.id}`, {
    method: 'DELETE',
    headers: { cookie: kept, 'sec-fetch-site': 'same-origin' },
  });
  assert.equal(response.status, 204);
  await assertError(await get('/v1/console/session', revoked), 401, 'invalid_api_key');
  assert.equal((await get('/v1/console/session', kept)).status, 200);
});

test('a session of another account cannot be revoked', async () => {
  const owner = await cookieFor(await server.createKeyFor('acc_session_owner'));
  const { session } = (await (await get('/v1/console/session', owner)).json()) as { session: { id: string } };
  const stranger = await cookieFor(await server.createKeyFor('acc_session_stranger'));
  const response = await fetch(`${server.url}/v1/console/sessions/${session.id}`, {
    method: 'DELETE',
    headers: { cookie: stranger, 'sec-fetch-site': 'same-origin' },
  });
  await assertError(response, 404, 'session_not_found');
  assert.equal((await get('/v1/console/session', owner)).status, 200);
});

test('a session ends when its key is revoked', async () => {
  const key = await server.createKeyFor('acc_session_key');
  const cookie = await cookieFor(key);
  const [info] = await server.keys.list('acc_session_key');
  await server.keys.revoke(info!.id);
  await assertError(await get('/v1/console/session', cookie), 401, 'invalid_api_key');
});

test('a session ends after its lifetime', async () => {
  const short = await startTestServer({ config: { sessionHours: 0.001 } });
  try {
    const cookie = await cookieFor(short.key, short.url);
    const headers = { cookie, 'sec-fetch-site': 'same-origin' };
    const state = () => fetch(`${short.url}/v1/console/session`, { headers });
    assert.equal((await state()).status, 200);
    let last = 200;
    for (let attempt = 0; attempt < 1000 && last !== 401; attempt++) {
      await sleep(50);
      last = (await state()).status;
    }
    assert.equal(last, 401);
  } finally {
    await short.close();
  }
});

test('after too many failed logins an address is refused, also with a valid key', async () => {
  const guarded = await startTestServer();
  try {
    const wrong = { key: `mynah_${'0'.repeat(10)}_${'0'.repeat(32)}` };
    for (let attempt = 0; attempt < FAILED_LOGINS_MAX; attempt++) {
      await assertError(await login(wrong, {}, guarded.url), 401, 'invalid_api_key');
    }
    const refused = await login({ key: guarded.key }, {}, guarded.url);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    await assertError(refused, 429, 'too_many_logins');
    // Requests with a key are not affected.
    assert.equal((await guarded.call('/model')).status, 200);
  } finally {
    await guarded.close();
  }
});

test('a socket with the cookie needs a matching Origin', async () => {
  const { WebSocket } = await import('ws');
  const cookie = await cookieFor();
  const connect = (headers: Record<string, string>) =>
    new Promise<number>((resolve) => {
      const socket = new WebSocket(`${server.url.replace('http', 'ws')}/v1/asr/live`, {
        headers: { cookie, ...headers },
      });
      socket.on('open', () => resolve(101));
      socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
      socket.on('error', () => {});
      socket.on('open', () => socket.terminate());
    });
  assert.equal(await connect({ origin: server.url }), 101);
  assert.equal(await connect({ origin: 'http://evil.example' }), 403);
  assert.equal(await connect({}), 403);
});

test('with the console off, cookies and logins are refused', async () => {
  const off = await startTestServer({ config: { console: false } });
  try {
    await assertError(await login({ key: off.key }, {}, off.url), 404, 'not_found');
  } finally {
    await off.close();
  }
});

test('the console learns whether new clones are refined automatically', async () => {
  const response = await get('/v1/console/session', await cookieFor());
  const { voice_refinement: mode } = (await response.json()) as { voice_refinement: string };
  assert.equal(mode, 'automatic');
});
