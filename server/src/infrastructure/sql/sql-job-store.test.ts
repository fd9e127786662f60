import assert from 'node:assert/strict';
import { testOnEachDatabase } from '../../../test/support/sql/databases.ts';
import type { Database } from './database.ts';
import { SqlJobStore } from './sql-job-store.ts';
import { SqlKeyStore } from './sql-key-store.ts';

const LEASE_MS = 60_000;

async function addJob(db: Database, id: string, accountId: string, createdAtMs: number): Promise<void> {
  await new SqlKeyStore(db).ensureAccount({ id: accountId, name: accountId, createdAtMs: 1 });
  const job: Parameters<SqlJobStore['add']>[0] = {
    id,
    caller: {
      accountId,
      keyId: 'key_1',
      scopes: ['asr'],
      meterId: 'key_1',
      spendCapNano: undefined,
      requestsPerMinute: undefined,
      concurrencyMax: undefined,
    },
    options: {
      model: 'transcribe-1',
      language: 'en',
      prompt: undefined,
      vocabulary: [],
      speakers: undefined,
    },
    view: { format: 'json', ignoreTimestamps: false },
    createdAtMs,
  };
  await new SqlJobStore(db).add(job);
}

testOnEachDatabase('jobs are claimed in turn by account, the oldest first', async (db) => {
  for (const [index, id] of ['a1', 'a2', 'a3'].entries()) await addJob(db, id, 'acc_a', index);
  for (const [index, id] of ['b1', 'b2'].entries()) await addJob(db, id, 'acc_b', 10 + index);
  const store = new SqlJobStore(db);
  const claimed: (string | undefined)[] = [];
  for (let count = 0; count < 6; count++) claimed.push((await store.claim(LEASE_MS))?.id);
  assert.deepEqual(claimed, ['a1', 'b1', 'a2', 'b2', 'a3', undefined]);
});

testOnEachDatabase('segments are read from an index on', async (db) => {
  await addJob(db, 'a1', 'acc_a', 1);
  const store = new SqlJobStore(db);
  const { lease } = (await store.claim(LEASE_MS))!;
  for (const [index, text] of ['0', '1', '2'].entries()) {
    const segment = { text, startSeconds: 0, endSeconds: 1, confidence: 1, language: 'en', words: [] };
    await store.addSegment(lease, index, segment);
  }
  const textsFrom = async (index?: number) => (await store.segments('a1', index)).map(({ text }) => text);
  assert.deepEqual(await textsFrom(), ['0', '1', '2']);
  assert.deepEqual(await textsFrom(2), ['2']);
  assert.deepEqual(await textsFrom(3), []);
});

testOnEachDatabase('a renewal that arrives late does not take progress back', async (db) => {
  await addJob(db, 'a1', 'acc_a', 1);
  const store = new SqlJobStore(db);
  const { lease } = (await store.claim(LEASE_MS))!;
  for (const processedSeconds of [5, 40, 39]) {
    assert.ok(await store.renew(lease, { processedSeconds, fraction: processedSeconds / 40 }, LEASE_MS));
  }
  const job = await store.find('a1');
  assert.deepEqual([job?.processedSeconds, job?.fraction], [40, 1]);
});
