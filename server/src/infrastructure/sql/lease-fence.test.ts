import assert from 'node:assert/strict';
import { testOnEachDatabase } from '../../../test/support/sql/databases.ts';
import type { UsageRecord } from '../../domain/accounts/ledger/usage.ts';
import type { TranscriptSegment } from '../../domain/transcription/transcription-service.ts';
import type { Database } from './database.ts';
import { SqlLedger } from './ledger/sql-ledger.ts';
import { SqlIdempotencyStore } from './sql-idempotency-store.ts';
import { SqlJobStore } from './sql-job-store.ts';
import { SqlKeyStore } from './sql-key-store.ts';
import { SqlUsageStore } from './sql-usage-store.ts';

const LEASE_MS = 60_000;
const ACCOUNT = 'acc_1';
const SEGMENT: TranscriptSegment = {
  text: 'one',
  startSeconds: 0,
  endSeconds: 1,
  words: [],
} as unknown as TranscriptSegment; // The store writes segments as JSON and reads no other field.
const PROGRESS = { processedSeconds: 1, fraction: 0.5 };

async function addJob(db: Database): Promise<SqlJobStore> {
  await new SqlKeyStore(db).ensureAccount({ id: ACCOUNT, name: 'Ada', createdAtMs: 1 });
  const store = new SqlJobStore(db);
  const caller = { accountId: ACCOUNT } as never; // Stored as JSON.
  await store.add({ id: 'job', caller, options: {} as never, view: {} as never, createdAtMs: 1 });
  return store;
}

function usageOf(id: string): UsageRecord {
  const facts = { accountId: ACCOUNT, keyId: 'key', service: 'tts', model: 's1', voice: '' } as const;
  return { id, ...facts, units: 1, costNano: 0, atMs: Date.now() };
}

testOnEachDatabase('a job has one owner: writes of the owner before have no effect', async (db) => {
  const store = await addJob(db);
  const stale = await store.claim(LEASE_MS);
  assert.ok(stale);
  assert.equal(await store.claim(LEASE_MS), undefined, 'the lease is valid');
  await db.updateTable('transcription_job').set({ lease_until: 0 }).execute();
  const owner = await store.claim(LEASE_MS);
  assert.ok(owner);

  assert.equal(await store.renew(stale.lease, PROGRESS, LEASE_MS), false);
  assert.equal(await store.addSegment(stale.lease, 0, SEGMENT), false);
  assert.equal(await store.release(stale.lease, { delayMs: 0, isAttempt: true }), false);
  const failed = { status: 'failed', failure: { code: 'internal', message: '' } } as const;
  assert.equal(await store.finish(stale.lease, failed, 2), false);
  assert.deepEqual(await store.segments('job'), []);
  assert.equal((await store.find('job'))?.status, 'running');

  assert.equal(await store.renew(owner.lease, PROGRESS, LEASE_MS), true);
  assert.equal(await store.addSegment(owner.lease, 0, SEGMENT), true);
  assert.equal(await store.finish(owner.lease, failed, 2), true);
  assert.equal(await store.addSegment(owner.lease, 1, SEGMENT), false, 'the job has ended');
});

testOnEachDatabase('a lease follows the clock of the database', async (db) => {
  const store = await addJob(db);
  const job = await store.claim(LEASE_MS);
  assert.ok(job);
  const { lease_until: untilMs } = await db
    .selectFrom('transcription_job')
    .select('lease_until')
    .executeTakeFirstOrThrow();
  assert.ok(Math.abs(untilMs - Date.now() - LEASE_MS) < LEASE_MS / 2, 'both clocks are of this machine');
  await store.release(job.lease, { delayMs: LEASE_MS, isAttempt: true });
  assert.equal(await store.claim(LEASE_MS), undefined, 'available only after the delay');
});

testOnEachDatabase('a request with an idempotency key has one owner', async (db) => {
  await new SqlKeyStore(db).ensureAccount({ id: ACCOUNT, name: 'Ada', createdAtMs: 1 });
  const store = new SqlIdempotencyStore(db);
  const leaseOf = (token: string) => ({ kind: 'request', accountId: ACCOUNT, key: 'k', token }) as const;
  const [stale, owner, third] = [leaseOf('1'), leaseOf('2'), leaseOf('3')];
  assert.equal(await store.add(stale, { fingerprint: 'f', nowMs: 1 }, LEASE_MS), true);
  assert.equal(await store.resume(owner, 1, LEASE_MS), false, 'the lease is valid');
  await db.updateTable('idempotency').set({ lease_until: 0 }).execute();
  assert.equal(await store.renew(stale, 0), true, 'nobody has taken it over');
  assert.equal(await store.resume(owner, 1, LEASE_MS), true);
  assert.equal(await store.resume(third, 1, LEASE_MS), false, 'another process was first');

  assert.equal(await store.renew(stale, LEASE_MS), false);
  assert.equal(await store.finish(stale, { state: 'partial', response: undefined }), false);
  assert.equal(await store.remove(stale), false);
  const response = { status: 200, headers: {}, body: Buffer.from('ok') };
  assert.equal(await store.finish(owner, { state: 'done', response }), true);
  assert.equal((await store.find({ accountId: ACCOUNT, key: 'k' }))?.state, 'done');
  // A removed request that was sent again does not belong to an owner from before.
  assert.equal(await store.remove(owner), true);
  assert.equal(await store.add(third, { fingerprint: 'f', nowMs: 2 }, LEASE_MS), true);
  assert.equal(await store.finish(owner, { state: 'partial', response: undefined }), false);
});

testOnEachDatabase('only the owner of a lease is charged', async (db) => {
  const store = await addJob(db);
  const ledger = new SqlLedger(db);
  await ledger.topUp({ id: 'credit', accountId: ACCOUNT, amountNano: 1000, memo: '' });
  const hold = (id: string) =>
    ledger.hold({
      id,
      accountId: ACCOUNT,
      meterId: 'key',
      capNano: undefined,
      amountNano: 100,
      durationMs: 60_000,
    });
  const stale = await store.claim(LEASE_MS);
  await hold('job:1');
  await db.updateTable('transcription_job').set({ lease_until: 0 }).execute();
  const owner = await store.claim(LEASE_MS);
  assert.ok(stale && owner);
  await hold('job:2');
  assert.equal((await ledger.settle('job:1', 100, usageOf('job:1'), { lease: stale.lease })).state, 'voided');
  assert.equal(
    (await ledger.settle('job:2', 100, usageOf('job:2'), { lease: owner.lease })).state,
    'settled',
  );
  const { availableNano, heldNano, spentNano } = await ledger.wallet(ACCOUNT);
  assert.deepEqual([availableNano, heldNano, spentNano], [900, 0, 100]);
  assert.deepEqual((await ledger.verify()).problems, []);

  const usage = new SqlUsageStore(db);
  await usage.record(usageOf('free:1'), stale.lease);
  await usage.record(usageOf('free:2'), owner.lease);
  const rows = await db.selectFrom('usage').select('id').orderBy('id').execute();
  assert.deepEqual(
    rows.map(({ id }) => id),
    ['free:2', 'job:2'],
  );
});
