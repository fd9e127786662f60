import assert from 'node:assert/strict';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
import { testOnEachDatabase } from '../../../test/support/sql/databases.ts';
import type { StoredKey } from '../../domain/accounts/keys/key-store.ts';
import { openDatabase } from './database.ts';
import { SqlKeyStore } from './sql-key-store.ts';

async function withStore(work: (store: SqlKeyStore) => Promise<void>): Promise<void> {
  const db = await openDatabase(':memory:');
  try {
    const store = new SqlKeyStore(db);
    await store.ensureAccount({ id: 'acc_1', name: 'Ada', createdAtMs: 1 });
    await work(store);
  } finally {
    await db.destroy();
  }
}

const KEY: StoredKey = {
  id: 'key_1',
  accountId: 'acc_1',
  name: 'laptop',
  prefix: 'mynah_aaaaaaaaaa',
  hash: 'f00d',
  createdAtMs: 1_800_000_000_000,
  expiresAtMs: undefined,
  revokedAtMs: undefined,
  lastUsedAtMs: undefined,
  scopes: ['tts', 'admin'],
  meterId: 'key_0',
  spendCapNano: 5_000_000_000,
  requestsPerMinute: 60,
};

test('a stored key is returned unchanged', () =>
  withStore(async (store) => {
    const expiring = {
      ...KEY,
      id: 'key_2',
      prefix: 'mynah_bbbbbbbbbb',
      createdAtMs: KEY.createdAtMs + 1,
      expiresAtMs: 1_900_000_000_000,
    };
    await store.addKey(expiring);
    await store.addKey(KEY);
    assert.deepEqual(await store.findByPrefix(KEY.prefix), {
      ...KEY,
      accountConcurrencyMax: undefined,
      isAccountDeleted: false,
    });
    assert.equal(await store.findByPrefix('mynah_cccccccccc'), undefined);
    assert.deepEqual(await store.listKeys(), [KEY, expiring]);
  }));

testOnEachDatabase(
  'of concurrent first starts, one creates the first key and its file',
  async (db, address) => {
    await new SqlKeyStore(db).ensureAccount({ id: 'acc_1', name: 'Ada', createdAtMs: 1 });
    // A SQLite database has one server, which the lock on its folder ensures.
    const isShared = address.startsWith('postgres');
    const opened = await Promise.all(
      Array.from({ length: 6 }, () => (isShared ? openDatabase(address) : undefined)),
    );
    const files: number[] = [];
    const added = await Promise.all(
      opened.map((own, index) => {
        const key = { ...KEY, id: `key_${index}`, prefix: `mynah_${index}` };
        return new SqlKeyStore(own ?? db).addFirstKey(key, async () => {
          files.push(index);
        });
      }),
    );
    assert.equal(added.filter((isAdded) => isAdded).length, 1);
    assert.deepEqual(files, [added.indexOf(true)]);
    const stored = await new SqlKeyStore(db).listKeys();
    assert.deepEqual(
      stored.map(({ id }) => id),
      [`key_${added.indexOf(true)}`],
    );
    for (const own of opened) await own?.destroy();
  },
);

testOnEachDatabase('a key is found by its id or its prefix', async (db) => {
  const store = new SqlKeyStore(db);
  await store.ensureAccount({ id: 'acc_1', name: 'Ada', createdAtMs: 1 });
  assert.equal(await store.hasKeys(), false);
  await store.addKey(KEY);
  await store.addKey({ ...KEY, id: 'key_2', prefix: 'mynah_bbbbbbbbbb' });
  assert.equal(await store.hasKeys(), true);
  assert.deepEqual(await store.findKey(KEY.id), KEY);
  assert.deepEqual(await store.findKey(KEY.prefix), KEY);
  for (const unknown of ['', 'key_', 'mynah_aaaaaaaaa', 'laptop', 'f00d'])
    assert.equal(await store.findKey(unknown), undefined);
});

test('the lookup of a key by id or prefix uses the unique indexes', async () => {
  const db = await openDatabase(':memory:');
  try {
    const { rows } = await sql<{ detail: string }>`
      explain query plan select * from api_key where id = 'x' or prefix = 'x'`.execute(db);
    const plan = rows.map(({ detail }) => detail).join('\n');
    assert.match(plan, /USING INDEX/);
    assert.doesNotMatch(plan, /SCAN api_key/);
  } finally {
    await db.destroy();
  }
});

test('a second revocation keeps the first time, and an unknown key returns false', () =>
  withStore(async (store) => {
    await store.addKey(KEY);
    assert.equal(await store.revoke('key_1', 5), true);
    assert.equal(await store.revoke('key_1', 9), true);
    assert.equal(await store.revoke('key_9', 9), false);
    assert.equal((await store.findByPrefix(KEY.prefix))?.revokedAtMs, 5);
  }));

test('the time of last use is stored', () =>
  withStore(async (store) => {
    await store.addKey(KEY);
    await store.recordUse('key_1', 7);
    assert.equal((await store.findByPrefix(KEY.prefix))?.lastUsedAtMs, 7);
  }));

test('an account is added once, and a key requires an account', () =>
  withStore(async (store) => {
    await store.ensureAccount({ id: 'acc_1', name: 'Ada again', createdAtMs: 2 });
    await assert.rejects(store.addKey({ ...KEY, accountId: 'acc_9' }), /FOREIGN KEY/i);
    await store.addKey(KEY);
    await assert.rejects(store.addKey({ ...KEY, id: 'key_2' }), /UNIQUE/i);
  }));

test('a new database can be opened concurrently, and its content persists', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mynah-db-'));
  try {
    const path = join(folder, 'data', 'mynah.db');
    const opened = await Promise.all([openDatabase(path), openDatabase(path), openDatabase(path)]);
    assert.equal((await stat(join(folder, 'data'))).mode & 0o777, 0o700);
    await new SqlKeyStore(opened[0]).ensureAccount({ id: 'acc_1', name: 'Ada', createdAtMs: 1 });
    await new SqlKeyStore(opened[1]).addKey(KEY);
    assert.deepEqual(await new SqlKeyStore(opened[2]).listKeys(), [KEY]);
    await Promise.all(opened.map((db) => db.destroy()));
    const again = await openDatabase(path);
    assert.deepEqual(await new SqlKeyStore(again).listKeys(), [KEY]);
    await again.destroy();
  } finally {
    await rm(folder, { recursive: true });
  }
});
