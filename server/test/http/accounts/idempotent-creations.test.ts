import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { FIRST_ACCOUNT_ID } from '../../../src/domain/accounts/keys/first-key.ts';
import { openDatabase } from '../../../src/infrastructure/sql/database.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';

let server: TestServer;
before(async () => {
  server = await startTestServer();
});
after(() => server.close());

interface Created {
  readonly id: string;
  readonly key?: string;
}

async function post(path: string, body: object, key: string) {
  const response = await server.call(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(body),
  });
  return {
    status: response.status,
    code: response.headers.get('x-fish-error-code'),
    body: (await response.json()) as Created,
  };
}

/** The state after a process that stalled or died between the creation and the end of its request. */
async function loseOutcome(key: string): Promise<void> {
  const db = await openDatabase(server.databaseAddress);
  try {
    await db
      .updateTable('idempotency')
      .set({ state: 'running', lease_until: 0, status: null, headers: null, body: null })
      .where('key', '=', key)
      .execute();
  } finally {
    await db.destroy();
  }
}

async function count(path: string): Promise<number> {
  const { items } = (await (await server.call(path)).json()) as { items: unknown[] };
  return items.length;
}

test('an account and a dictionary are created once, although the first process did not finish the request', async () => {
  for (const [path, body] of [
    ['/v1/admin/accounts', { name: 'Ada' }],
    ['/v1/pronunciation-dictionaries', { name: 'names' }],
  ] as const) {
    const first = await post(path, body, path);
    assert.equal(first.status, 201);
    const before = await count(path);
    await loseOutcome(path);
    const second = await post(path, body, path);
    assert.deepEqual([second.status, second.body.id], [201, first.body.id]);
    assert.equal(await count(path), before);
  }
});

test('a dictionary version is published once, although the first process did not finish the request', async () => {
  const dictionary = await post('/v1/pronunciation-dictionaries', { name: 'versions' }, 'versions');
  const path = `/v1/pronunciation-dictionaries/${dictionary.body.id}/versions`;
  const body = { items: [{ key: 'tomato', value: '/təˈmeɪtoʊ/' }] };
  const first = await post(path, body, 'version');
  assert.equal(first.status, 201, JSON.stringify(first.body));
  await loseOutcome('version');
  const second = await post(path, body, 'version');
  assert.deepEqual([second.status, second.body.id], [201, first.body.id]);
  assert.equal(await count(path), 1);
});

test('a key whose secret was lost with its process is not created again, and is not shown', async () => {
  const created = await post('/v1/admin/keys', { account_id: FIRST_ACCOUNT_ID, name: 'once' }, 'create');
  assert.equal(created.status, 201);
  const rotate = `/v1/admin/keys/${created.body.id}/rotate`;
  assert.equal((await post(rotate, {}, 'rotate')).status, 201);
  const before = await count('/v1/admin/keys');
  await loseOutcome('create');
  await loseOutcome('rotate');
  for (const again of [
    await post('/v1/admin/keys', { account_id: FIRST_ACCOUNT_ID, name: 'once' }, 'create'),
    await post(rotate, {}, 'rotate'),
  ]) {
    assert.deepEqual([again.status, again.code], [409, 'idempotency_outcome_gone']);
    assert.equal(again.body.key, undefined);
  }
  assert.equal(await count('/v1/admin/keys'), before);
});
