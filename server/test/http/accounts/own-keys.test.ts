import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';

interface Key {
  readonly id: string;
  readonly key: string;
  readonly account_id: string;
  readonly scopes: readonly string[];
}

describe('keys of the own account', () => {
  let server: TestServer;
  let account: string;
  before(async () => {
    server = await startTestServer();
    const created = await server.call('/v1/admin/accounts', post({ name: 'Own keys' }));
    account = ((await created.json()) as { id: string }).id;
  });
  after(() => server.close());

  function post(body: object): RequestInit {
    return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  }
  /** A key that the administrator creates. */
  async function createKey(fields: object): Promise<Key> {
    const response = await server.call('/v1/admin/keys', post({ account_id: account, name: 'a', ...fields }));
    assert.equal(response.status, 201);
    return (await response.json()) as Key;
  }
  function call({ key }: Pick<Key, 'key'>, path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { ...init.headers, authorization: `Bearer ${key}` };
    return fetch(server.url + path, { ...init, headers });
  }
  async function assertError(response: Response, status: number, code: string): Promise<void> {
    assert.deepEqual([response.status, response.headers.get('x-fish-error-code')], [status, code]);
    await response.body?.cancel();
  }

  test('an account creates, lists, rotates and revokes its keys', async () => {
    const manager = await createKey({ scopes: ['tts', 'wallet:read', 'keys:write'] });
    const response = await call(manager, '/v1/keys', post({ name: 'second' }));
    assert.equal(response.status, 201);
    const second = (await response.json()) as Key;
    assert.equal(second.account_id, account);
    assert.deepEqual(second.scopes, ['tts', 'wallet:read']);
    assert.equal((await call(second, '/wallet/self/package')).status, 200);
    const { items } = (await (await call(manager, '/v1/keys')).json()) as { items: Key[] };
    assert.deepEqual(items.map(({ id }) => id).sort(), [manager.id, second.id].sort());
    assert.ok(items.every((item) => !('key' in item)));
    const rotation = await call(manager, `/v1/keys/${second.id}/rotate`, post({ grace_seconds: 0 }));
    const third = (await rotation.json()) as Key;
    assert.equal((await call(third, '/wallet/self/package')).status, 200);
    assert.equal((await call(manager, `/v1/keys/${third.id}`, { method: 'DELETE' })).status, 200);
    await assertError(await call(third, '/wallet/self/package'), 401, 'invalid_api_key');
  });

  test('a key grants at most its own rights', async () => {
    const manager = await createKey({ scopes: ['tts', 'keys:write'] });
    const powerful = await createKey({ scopes: ['tts', 'admin'] });
    const attempts = [
      call(manager, '/v1/keys', post({ name: 'x', scopes: ['admin'] })),
      call(manager, `/v1/keys/${powerful.id}/rotate`, post({})),
      call(manager, `/v1/keys/${powerful.id}`, { method: 'DELETE' }),
    ];
    for (const attempt of attempts) await assertError(await attempt, 403, 'insufficient_scope');
    assert.equal((await call(powerful, '/v1/admin/keys')).status, 200);
  });

  test('a key with a limit or an expiry, or without the scope, creates no keys', async () => {
    const scopes = ['tts', 'keys:write'];
    const limits = [
      { scopes, spend_cap: '1' },
      { scopes, requests_per_minute: 10 },
      { scopes, expires_at: '2099-01-01T00:00:00Z' },
      {},
    ];
    for (const fields of limits) {
      const key = await createKey(fields);
      await assertError(await call(key, '/v1/keys', post({ name: 'x' })), 403, 'insufficient_scope');
    }
  });

  test('keys of another account do not exist', async () => {
    const manager = await createKey({ scopes: ['tts', 'keys:write'] });
    const created = await server.call('/v1/admin/accounts', post({ name: 'Other' }));
    const other = await createKey({ account_id: ((await created.json()) as { id: string }).id });
    await assertError(
      await call(manager, `/v1/keys/${other.id}`, { method: 'DELETE' }),
      404,
      'key_not_found',
    );
    await assertError(await call(manager, `/v1/keys/${other.id}/rotate`, post({})), 404, 'key_not_found');
  });
});
