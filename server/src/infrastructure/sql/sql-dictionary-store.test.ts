import assert from 'node:assert/strict';
import { testOnEachDatabase } from '../../../test/support/sql/databases.ts';
import type { StoredDictionary, StoredVersion } from '../../domain/dictionaries/dictionary-store.ts';
import type { Database } from './database.ts';
import { SqlDictionaryStore } from './sql-dictionary-store.ts';
import { SqlKeyStore } from './sql-key-store.ts';

async function storeOf(db: Database): Promise<SqlDictionaryStore> {
  for (const id of ['acc_1', 'acc_2'])
    await new SqlKeyStore(db).ensureAccount({ id, name: id, createdAtMs: 1 });
  return new SqlDictionaryStore(db);
}

const dictionary = (id: string, createdAtMs = 1_800_000_000_000): StoredDictionary => ({
  id,
  accountId: 'acc_1',
  name: `Terms ${id}`,
  description: '',
  latestVersionId: undefined,
  createdAtMs,
  updatedAtMs: createdAtMs,
});

const version = (id: string, number: number): StoredVersion => ({
  id,
  dictionaryId: 'd1',
  number,
  itemCount: 1,
  createdAtMs: 1_800_000_000_000 + number,
});

const ITEMS = [
  { key: '重庆 "x"', value: 'chong2 qing4', isCaseSensitive: true },
  { key: 'AI', value: '/eɪ aɪ/', isCaseSensitive: false, isWholeWord: true },
];

testOnEachDatabase('dictionaries are listed in pages, newest first', async (db) => {
  const store = await storeOf(db);
  // Equal times are ordered by id.
  const all = [dictionary('c', 3), dictionary('b', 2), dictionary('a', 2)];
  for (const one of all.toReversed()) await store.addDictionary(one);
  assert.deepEqual(await store.listDictionaries('acc_1', { limit: 9 }), all);
  assert.deepEqual(await store.listDictionaries('acc_1', { limit: 1, offset: 1 }), [all[1]]);
  assert.deepEqual(await store.listDictionaries('acc_1', { limit: 9, before: all[1] }), [all[2]]);
  assert.deepEqual(await store.listDictionaries('acc_2', { limit: 9 }), []);
  assert.equal(await store.countDictionaries('acc_1'), 3);
  assert.deepEqual(await store.findDictionary('acc_1', 'a'), all[2]);
  assert.equal(await store.findDictionary('acc_2', 'a'), undefined);
  assert.deepEqual(await store.renameDictionary('acc_1', 'a', { name: 'New', updatedAtMs: 9 }), {
    ...all[2],
    name: 'New',
    updatedAtMs: 9,
  });
  assert.equal(await store.renameDictionary('acc_2', 'a', { name: 'Theirs', updatedAtMs: 9 }), undefined);
});

testOnEachDatabase('a version is published only if its expected predecessor is the latest', async (db) => {
  const store = await storeOf(db);
  await store.addDictionary(dictionary('d1'));
  assert.equal(await store.publishVersion(version('v0', 1), ITEMS, 'nobody'), false);
  assert.equal(await store.publishVersion(version('v1', 1), ITEMS, undefined), true);
  const outcomes = await Promise.all(
    ['v2', 'v3', 'v4'].map((id) => store.publishVersion(version(id, 2), ITEMS, 'v1')),
  );
  assert.deepEqual(outcomes.sort(), [false, false, true]);
  assert.equal(await store.countVersions('d1'), 2);
  const [latest, first] = await store.listVersions('d1', { limit: 9 });
  assert.deepEqual(first, version('v1', 1));
  assert.equal((await store.findDictionary('acc_1', 'd1'))?.latestVersionId, latest?.id);
  assert.deepEqual(await store.versionItems('v1'), ITEMS);
});

testOnEachDatabase('what is archived is not found, and a dictionary can be archived twice', async (db) => {
  const store = await storeOf(db);
  await store.addDictionary(dictionary('d1'));
  await store.publishVersion(version('v1', 1), ITEMS, undefined);
  assert.equal(await store.archiveVersion('d1', 'v1', 5), true);
  assert.equal(await store.archiveVersion('d1', 'v1', 5), false);
  assert.equal(await store.findVersion('d1', 'v1'), undefined);
  assert.equal(await store.archiveDictionary('acc_2', 'd1', 5), false);
  assert.equal(await store.archiveDictionary('acc_1', 'd1', 5), true);
  assert.equal(await store.archiveDictionary('acc_1', 'd1', 9), true);
  assert.equal(await store.findDictionary('acc_1', 'd1'), undefined);
  assert.equal(await store.publishVersion(version('v2', 2), ITEMS, 'v1'), false);
  assert.equal(await store.countDictionaries('acc_1'), 0);
});
