import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryKeyStore } from '../../../../test/support/accounts/memory-key-store.ts';
import { DEFAULT_SCOPES } from '../caller.ts';
import { createApiKeys } from './api-keys.ts';
import { generateKey, hashKey, prefixOf } from './key-format.ts';

function setup() {
  const store = new MemoryKeyStore();
  const clock = { nowMs: 1_000_000 };
  const keys = createApiKeys({ store, now: () => clock.nowMs, cacheMs: 10_000 });
  return { store, clock, keys };
}

test('a key consists of a prefix and a secret, and keys are unique', () => {
  const keys = Array.from({ length: 100 }, generateKey);
  assert.equal(new Set(keys.map(({ key }) => key)).size, keys.length);
  for (const { key, prefix, hash } of keys) {
    assert.match(key, /^mynah_[0-9a-z]{10}_[0-9a-zA-Z]{32}$/);
    assert.equal(prefixOf(key), prefix);
    assert.equal(hashKey(key), hash);
    assert.ok(!hash.includes(key));
  }
});

test('a created key authenticates its account, and only its hash is stored', async () => {
  const { keys, store } = setup();
  const { key, id } = await keys.create({ accountId: 'acc_1', name: 'laptop' });
  assert.deepEqual(await keys.authenticate(key), {
    accountId: 'acc_1',
    keyId: id,
    meterId: id,
    scopes: DEFAULT_SCOPES,
    spendCapNano: undefined,
    requestsPerMinute: undefined,
    concurrencyMax: undefined,
  });
  assert.ok(!JSON.stringify([...store.keys.values()]).includes(key));
});

test('a token in another format is refused without a query', async () => {
  const { keys, store } = setup();
  for (const key of ['', 'x', 'Bearer', 'mynah_', `mynah_${'a'.repeat(10)}_short`, '\u{1F600}'.repeat(10)]) {
    assert.equal(await keys.authenticate(key), undefined);
  }
  assert.equal(store.lookups, 0);
});

test('the prefix of a valid key with a wrong secret is refused', async () => {
  const { keys } = setup();
  const { key } = await keys.create({ accountId: 'acc_1', name: 'laptop' });
  const forged = key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a');
  assert.equal(await keys.authenticate(forged), undefined);
});

test('a refused key costs one query, the reason of the refusal included', async () => {
  const { keys, store, clock } = setup();
  const { key, id } = await keys.create({ accountId: 'acc_1', name: 'laptop' });
  const expired = await keys.create({ accountId: 'acc_1', name: 'old', expiresAtMs: clock.nowMs });
  await keys.revoke(id);
  const { key: unknown } = generateKey();
  for (const [presented, refusal] of [
    [key, 'revoked'],
    [expired.key, 'expired'],
    [unknown, 'unknown'],
  ] as const) {
    const before = store.lookups;
    assert.equal(await keys.identify(presented), refusal);
    assert.equal(store.lookups, before + 1, refusal);
  }
});

test('an expired key is refused, even when it is in the cache', async () => {
  const { keys, clock } = setup();
  const { key } = await keys.create({ accountId: 'acc_1', name: 'trial', expiresAtMs: clock.nowMs + 5000 });
  assert.ok(await keys.authenticate(key));
  clock.nowMs += 5000;
  assert.equal(await keys.authenticate(key), undefined);
});

test('a key revoked through this instance is refused at once, one revoked elsewhere after the cache time', async () => {
  const { keys, store, clock } = setup();
  const here = await keys.create({ accountId: 'acc_1', name: 'a' });
  const elsewhere = await keys.create({ accountId: 'acc_1', name: 'b' });
  assert.ok(await keys.authenticate(here.key));
  assert.ok(await keys.revoke(here.prefix));
  assert.equal(await keys.authenticate(here.key), undefined);

  assert.ok(await keys.authenticate(elsewhere.key));
  await store.revoke(elsewhere.id, clock.nowMs);
  clock.nowMs += 10_000;
  assert.equal(await keys.authenticate(elsewhere.key), undefined);
});

test('a busy key causes one query per cache time and one write of its last use per minute', async () => {
  const { keys, store, clock } = setup();
  const { key, id } = await keys.create({ accountId: 'acc_1', name: 'busy' });
  for (let request = 0; request < 50; request += 1) await keys.authenticate(key);
  await keys.close();
  assert.equal(store.lookups, 1);
  const firstUse = store.keys.get(id)?.lastUsedAtMs;
  assert.equal(firstUse, clock.nowMs);
  clock.nowMs += 30_000;
  await keys.authenticate(key);
  await keys.close();
  assert.equal(store.keys.get(id)?.lastUsedAtMs, firstUse);
  clock.nowMs += 30_000;
  await keys.authenticate(key);
  await keys.close();
  assert.equal(store.keys.get(id)?.lastUsedAtMs, clock.nowMs);
});

test('revoking an unknown key returns undefined', async () => {
  assert.equal(await setup().keys.revoke('mynah_nothing'), undefined);
});

test('a list of keys contains no hash', async () => {
  const { keys } = setup();
  await keys.create({ accountId: 'acc_1', name: 'laptop' });
  const [key] = await keys.list();
  assert.equal(key?.name, 'laptop');
  assert.ok(key && !('hash' in key));
});

test('a rotated key works for its grace time, and its successor uses the same meter', async () => {
  const { keys, clock } = setup();
  const old = await keys.create({ accountId: 'acc_1', name: 'laptop', spendCapNano: 5, scopes: ['tts'] });
  const successor = await keys.rotate(old.prefix, 5000);
  assert.ok(successor);
  assert.notEqual(successor.key, old.key);
  const caller = await keys.authenticate(successor.key);
  assert.deepEqual([caller?.meterId, caller?.spendCapNano, caller?.scopes], [old.id, 5, ['tts']]);
  assert.ok(await keys.authenticate(old.key));
  clock.nowMs += 5000;
  assert.equal(await keys.authenticate(old.key), undefined);
  assert.ok(await keys.authenticate(successor.key));
  assert.equal(await keys.rotate('mynah_nothing', 0), undefined);
});

test('in open mode any token is a tenant, but a token in the format of a key must be valid', async () => {
  const { store, clock } = setup();
  const keys = createApiKeys({ store, now: () => clock.nowMs, isOpen: true });
  const ada = await keys.authenticate('ada');
  assert.equal((await keys.authenticate('ada'))?.accountId, ada?.accountId);
  assert.notEqual((await keys.authenticate('grace'))?.accountId, ada?.accountId);
  assert.ok(!ada?.scopes.includes('admin'));
  assert.equal(await keys.authenticate(`mynah_${'a'.repeat(10)}_${'b'.repeat(32)}`), undefined);
  const created = await keys.create({ accountId: 'acc_1', name: 'real' });
  assert.equal((await keys.authenticate(created.key))?.accountId, 'acc_1');
  await keys.revoke(created.id);
  assert.equal(await keys.authenticate(created.key), undefined);
});

test('the name of a tenant is stored, and a token that may be a secret is not', async () => {
  const { store } = setup();
  const keys = createApiKeys({ store, isOpen: true });
  const secret = '0123456789abcdef0123456789abcdef';
  await keys.authenticate('ada');
  await keys.authenticate(secret);
  const names = (await store.listAccounts()).map(({ name }) => name);
  assert.ok(names.includes('ada'));
  assert.ok(!JSON.stringify([...store.accounts.values()]).includes(secret));
});

test('onRevoked is called with the id of a revoked key', async () => {
  const { store } = setup();
  const revoked: string[] = [];
  const keys = createApiKeys({ store, onRevoked: (id) => revoked.push(id) });
  const { id } = await keys.create({ accountId: 'acc_1', name: 'laptop' });
  await keys.revoke(id);
  assert.deepEqual(revoked, [id]);
});
