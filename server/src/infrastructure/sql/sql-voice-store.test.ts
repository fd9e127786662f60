import assert from 'node:assert/strict';
import { testOnEachDatabase } from '../../../test/support/sql/databases.ts';
import type { StoredVoice } from '../../domain/voices/stored-voice.ts';
import { SqlKeyStore } from './sql-key-store.ts';
import { SqlVoiceStore } from './sql-voice-store.ts';

const VOICE: StoredVoice = {
  id: 'a'.repeat(32),
  accountId: 'acc_1',
  authorName: 'Ada',
  referenceName: undefined,
  title: 'Warm 100%',
  description: '',
  visibility: 'private',
  state: 'training',
  refinement: 'none',
  tags: ['calm', 'a "quoted" one'],
  languages: ['en'],
  coverFile: undefined,
  samples: [{ title: 'one.wav', text: 'Hello.', file: 'voices/a/sample-0' }],
  clips: [
    {
      filename: 'one.wav',
      durationMs: 5000,
      language: 'en',
      measures: { snr: 30 },
      isPassed: true,
      reason: '',
    },
  ],
  clone: {
    engine: 'vits',
    vector: Float32Array.of(0.5, -1.25, 3),
    pitchCorrection: { middleHz: 84, pitchFactor: 0.93, range: 1 },
    loudnessLufs: -20.5,
    gender: 'female',
    measures: { distance: 0.4 },
  },
  cloner: 'test-1',
  consent: { accountId: 'acc_1', keyId: 'key_1', atMs: 7, statement: 'Mine.' },
  createdAtMs: 1_800_000_000_000,
  updatedAtMs: 1_800_000_000_000,
  taskCount: 0,
};
const ANY = { tags: [], languages: [] };

testOnEachDatabase('the pitch correction of a voice keeps its stored name', async (db) => {
  await new SqlKeyStore(db).ensureAccount({ id: 'acc_1', name: 'Ada', createdAtMs: 1 });
  await new SqlVoiceStore(db).add(VOICE, 10);
  const { clone } = await db.selectFrom('voice').select('clone').executeTakeFirstOrThrow();
  assert.deepEqual((JSON.parse(clone) as { melody?: unknown }).melody, VOICE.clone.pitchCorrection);
});

testOnEachDatabase('a voice of a deleted account is not stored', async (db) => {
  const accounts = new SqlKeyStore(db);
  await accounts.ensureAccount({ id: 'acc_1', name: 'Ada', createdAtMs: 1 });
  await accounts.changeAccount('acc_1', { deletedAtMs: 2 });
  await assert.rejects(new SqlVoiceStore(db).add(VOICE, 10), { code: 'account_not_found' });
});

testOnEachDatabase(
  'an account never has more voices than the maximum, however many are added at once',
  async (db) => {
    await new SqlKeyStore(db).ensureAccount({ id: 'acc_1', name: 'Ada', createdAtMs: 1 });
    const store = new SqlVoiceStore(db);
    const ids = Array.from({ length: 8 }, (_, index) => String(index).repeat(32));
    const added = await Promise.all(ids.map((id) => store.add({ ...VOICE, id }, 3)));
    assert.equal(added.filter(Boolean).length, 3);
    assert.equal((await store.list({ ...ANY, ownedBy: 'acc_1' }, 10)).total, 3);
  },
);

testOnEachDatabase('a voice is stored, changed, found, counted and removed', async (db) => {
  await new SqlKeyStore(db).ensureAccount({ id: 'acc_1', name: 'Ada', createdAtMs: 1 });
  const store = new SqlVoiceStore(db);
  await store.add(VOICE, 10);
  assert.deepEqual(await store.find(VOICE.id), VOICE);
  assert.equal(await store.find('b'), undefined);

  assert.deepEqual(await store.referenceNames('acc_1'), []);
  await store.change(VOICE.id, { referenceName: 'ada 1' }, VOICE.updatedAtMs);
  assert.deepEqual(await store.referenceNames('acc_1'), ['ada 1']);
  assert.equal((await store.findNamed('acc_1', 'ada 1'))?.id, VOICE.id);
  assert.equal(await store.findNamed('acc_2', 'ada 1'), undefined);
  const namesake = { ...VOICE, id: 'f'.repeat(32), referenceName: 'ada 1' };
  await assert.rejects(store.add(namesake, 10), /unique/i);

  assert.equal((await store.list(ANY, 10)).total, 0);
  const mine = { ...ANY, ownedBy: 'acc_1' };
  const named = { ...VOICE, referenceName: 'ada 1' };
  assert.deepEqual(await store.list(mine, 10), { voices: [named], total: 1 });
  assert.equal((await store.list({ ...ANY, ownedBy: 'acc_2' }, 10)).total, 0);

  assert.equal(await store.change(VOICE.id, { visibility: 'public', coverFile: 'voices/a/cover' }, 9), true);
  assert.equal(await store.change('b', { title: 'x' }, 9), false);
  const searches: readonly (readonly [object, number])[] = [
    [{ title: 'WARM' }, 1],
    [{ title: '100%' }, 1],
    [{ title: 'cold%' }, 0],
    [{ tags: ['calm'] }, 1],
    [{ tags: ['a "quoted" one', 'calm'] }, 1],
    [{ tags: ['cal'] }, 0],
    [{ languages: ['fr', 'en'] }, 1],
    [{ languages: ['fr'] }, 0],
    [{ authorId: 'acc_1' }, 1],
    [{ authorId: 'acc_2' }, 0],
  ];
  for (const [filter, total] of searches) {
    assert.equal((await store.list({ ...ANY, ...filter }, 10)).total, total, JSON.stringify(filter));
  }

  await store.settleTraining(11, 'all');
  await store.addUses(new Map());
  await store.addUses(new Map([[VOICE.id, 1]]));
  await store.addUses(
    new Map([
      [VOICE.id, 2],
      ['built-in', 1],
    ]),
  );
  const found = await store.find(VOICE.id);
  assert.deepEqual([found?.state, found?.updatedAtMs, found?.taskCount], ['trained', 11, 3]);
  assert.deepEqual(Object.fromEntries(await store.uses()), { [VOICE.id]: 3, 'built-in': 1 });

  assert.equal(await store.remove(VOICE.id), true);
  assert.equal(await store.remove(VOICE.id), false);
  assert.deepEqual(Object.fromEntries(await store.uses()), { 'built-in': 1 });
});

testOnEachDatabase('a start settles only trainings whose lease has expired', async (db) => {
  await new SqlKeyStore(db).ensureAccount({ id: 'acc_1', name: 'Ada', createdAtMs: 1 });
  const store = new SqlVoiceStore(db);
  const [running, dead, old] = ['1', '2', '3'].map((digit) => digit.repeat(32)) as [string, string, string];
  for (const id of [running, dead, old]) await store.add({ ...VOICE, id, state: 'training' }, 10);
  const stateOf = async (id: string) => (await store.find(id))?.state;
  await store.settleTraining(5, 'expired');
  // A new voice has a lease.
  assert.deepEqual(await Promise.all([running, dead, old].map(stateOf)), [
    'training',
    'training',
    'training',
  ]);
  assert.equal(await store.renewTraining(running, 60_000), true);
  assert.equal(await store.renewTraining(dead, -1), true);
  // A voice of an earlier version has no lease.
  await db.updateTable('voice').set({ training_until: null }).where('id', '=', old).execute();
  await store.settleTraining(6, 'expired');
  assert.deepEqual(await Promise.all([running, dead, old].map(stateOf)), ['training', 'trained', 'trained']);
  await store.remove(running);
  assert.equal(await store.renewTraining(running, 60_000), false);
});

testOnEachDatabase(
  'refinements are claimed once, in turn by account, and again after their lease',
  async (db) => {
    const accounts = new SqlKeyStore(db);
    for (const id of ['acc_1', 'acc_2']) await accounts.ensureAccount({ id, name: 'Ada', createdAtMs: 1 });
    const store = new SqlVoiceStore(db);
    const add = (digit: string, createdAtMs: number, accountId = 'acc_1') =>
      store.add({ ...VOICE, id: digit.repeat(32), accountId, createdAtMs, refinement: 'pending' }, 10);
    await add('1', 1);
    await add('2', 2);
    await add('3', 3, 'acc_2');
    await store.add({ ...VOICE, id: '4'.repeat(32), createdAtMs: 0 }, 10);
    const claim = async (leaseMs: number, lastAccountId?: string) => {
      const claimed = await store.claimRefinement(leaseMs, lastAccountId);
      return claimed && `${claimed.voice.id[0]} ${claimed.attempt}`;
    };
    assert.equal(await claim(60_000), '1 1');
    assert.equal(await claim(60_000, 'acc_1'), '3 1');
    assert.equal(await claim(-1, 'acc_1'), '2 1');
    assert.equal(await claim(60_000), '2 2');
    assert.equal(await claim(60_000), undefined);
    await store.settleTraining(5, 'all');
    assert.equal((await store.find('1'.repeat(32)))?.state, 'training');
    await store.releaseRefinement('1'.repeat(32));
    assert.equal(await claim(60_000), '1 1');
    assert.equal(await store.renewRefinement('1'.repeat(32), -1), true);
    assert.equal(await claim(60_000), '1 2');
    await store.change('1'.repeat(32), { refinement: 'done' }, 6);
    assert.equal((await store.find('1'.repeat(32)))?.refinement, 'done');
    assert.equal(await store.renewRefinement('9'.repeat(32), 1), false);
  },
);
