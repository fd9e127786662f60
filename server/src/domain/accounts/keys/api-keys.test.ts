import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryKeyStore } from '../../../../test/support/accounts/memory-key-store.ts';
import { USUAL_SCOPES } from '../caller.ts';
import { createApiKeys } from './api-keys.ts';
import { generateKey, hashKey, prefixOf } from './key-format.ts';

function setup() {
  const store = new MemoryKeyStore();
  const clock = { nowMs: 1_000_000 };
  const keys = createApiKeys({ store, now: () => clock.nowMs, cacheMs: 10_000 });
  return { store, clock, keys };
}

test('a key is a prefix and a secret, and no two are alike', () => {
  const made = Array.from({ length: 100 }, generateKey);
  assert.equal(new Set(made.map(({ key }) => key)).size, made.length);
  for (const { key, prefix, hash } of made) {
    assert.match(key, /^mynah_[0-9a-z]{10}_[0-9a-zA-Z]{32}$/);
    assert.equal(prefixOf(key), prefix);
    assert.equal(hashKey(key), hash);
    assert.ok(!hash.includes(key));
  }
});

test('a created key opens its account, and only its hash is stored', async () => {
  const { keys, store } = setup();
  const { key, id } = await keys.create({ accountId: 'acc_1', name: 'laptop' });
  assert.deepEqual(await keys.authenticate(key), {
    accountId: 'acc_1',
    keyId: id,
    meterId: id,
    scopes: USUAL_SCOPES,
    spendCapNano: undefined,
    requestsPerMinute: undefined,
    concurrencyMax: undefined,
  });
  assert.ok(!JSON.stringify([...store.keys.values()]).includes(key));
});

test('a key that is not one of ours is refused without asking the store', async () => {
  const { keys, store } = setup();
  for (const key of ['', 'x', 'Bearer', 'mynah_', `mynah_${'a'.repeat(10)}_short`, '\u{1F600}'.repeat(10)]) {
    assert.equal(await keys.authenticate(key), undefined);
  }
  assert.equal(store.lookups, 0);
});

test('the prefix of a real key with another secret is refused', async () => {
  const { keys } = setup();
  const { key } = await keys.create({ accountId: 'acc_1', name: 'laptop' });
  const forged = key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a');
  assert.equal(await keys.authenticate(forged), undefined);
});

test('a key stops working when it expires, also when it was just used', async () => {
  const { keys, clock } = setup();
  const { key } = await keys.create({ accountId: 'acc_1', name: 'trial', expiresAtMs: clock.nowMs + 5000 });
  assert.ok(await keys.authenticate(key));
  clock.nowMs += 5000;
  assert.equal(await keys.authenticate(key), undefined);
});

test('a key revoked here stops working at once, one revoked elsewhere when the cache has run out', async () => {
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

test('a busy key asks the store once per cache time and notes its use once per minute', async () => {
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

test('revoking an unknown key says so', async () => {
  assert.equal(await setup().keys.revoke('mynah_nothing'), undefined);
});

test('a list of keys holds no hash', async () => {
  const { keys } = setup();
  await keys.create({ accountId: 'acc_1', name: 'laptop' });
  const [key] = await keys.list();
  assert.equal(key?.name, 'laptop');
  assert.ok(key && !('hash' in key));
});

test('a rotated key goes on for its grace time, and its successor counts on the same meter', async () => {
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

test('in open mode any token is a tenant, but what looks like a key of ours must be one', async () => {
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

test('a tenant’s name is kept, and what may be a secret is not', async () => {
  const { store } = setup();
  const keys = createApiKeys({ store, isOpen: true });
  const secret = '0123456789abcdef0123456789abcdef';
  await keys.authenticate('ada');
  await keys.authenticate(secret);
  const names = (await store.listAccounts()).map(({ name }) => name);
  assert.ok(names.includes('ada'));
  assert.ok(!JSON.stringify([...store.accounts.values()]).includes(secret));
});

test('a revoked key is told to whoever listens', async () => {
  const { store } = setup();
  const revoked: string[] = [];
  const keys = createApiKeys({ store, onRevoked: (id) => revoked.push(id) });
  const { id } = await keys.create({ accountId: 'acc_1', name: 'laptop' });
  await keys.revoke(id);
  assert.deepEqual(revoked, [id]);
});
