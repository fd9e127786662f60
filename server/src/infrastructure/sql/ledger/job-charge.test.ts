import assert from 'node:assert/strict';
import { testOnEachDatabase } from '../../../../test/support/sql/databases.ts';
import { DEFAULT_SCOPES } from '../../../domain/accounts/caller.ts';
import { PriceTable } from '../../../domain/accounts/ledger/prices.ts';
import { Billing } from '../../../domain/accounts/metering/billing.ts';
import { openJobCharge } from '../../../domain/transcription/job-charge.ts';
import type { Database } from '../database.ts';
import { SqlJobStore } from '../sql-job-store.ts';
import { SqlKeyStore } from '../sql-key-store.ts';
import { SqlUsageStore } from '../sql-usage-store.ts';
import { SqlLedger } from './sql-ledger.ts';

const CALLER = {
  accountId: 'acc_1',
  keyId: 'key_1',
  meterId: 'key_1',
  scopes: DEFAULT_SCOPES,
  spendCapNano: undefined,
  requestsPerMinute: undefined,
  concurrencyMax: undefined,
};
const SECOND_NANO = 100_000;
const DAY_MS = 86_400_000;

async function createJob(db: Database) {
  await new SqlKeyStore(db).ensureAccount({ id: CALLER.accountId, name: 'Ada', createdAtMs: 1 });
  const ledger = new SqlLedger(db);
  await ledger.topUp({ id: 'top', accountId: CALLER.accountId, amountNano: 1_000 * SECOND_NANO, memo: '' });
  const billing = new Billing({
    ledger,
    usage: new SqlUsageStore(db),
    prices: new PriceTable(),
    isPrepaid: true,
    holdMs: 1000,
    onProblem: () => {},
  });
  const store = new SqlJobStore(db);
  const options = {
    model: 'transcribe-1',
    language: undefined,
    prompt: undefined,
    vocabulary: [],
    speakers: undefined,
  } as const;
  const view = { format: 'json', ignoreTimestamps: false } as const;
  await store.add({ id: 'asr_1', caller: CALLER, options, view, createdAtMs: 1 });
  return { ledger, billing, store };
}

testOnEachDatabase(
  'a job whose hold expired after a crash is charged when it is retried, once',
  async (db) => {
    const { ledger, billing, store } = await createJob(db);

    const first = (await store.claim(0))!;
    const firstCharge = await openJobCharge(billing, first);
    await firstCharge.hold(10);
    // The process dies; its hold expires.
    const later = new SqlLedger(db, () => Date.now() + DAY_MS);
    assert.equal(await later.expire(), 1);

    const second = (await store.claim(60_000))!;
    const secondCharge = await openJobCharge(billing, second);
    await secondCharge.hold(10);
    assert.equal(await firstCharge.settle(10), 0, 'the process that lost the lease charges nothing');
    assert.equal(await secondCharge.settle(20), 20 * SECOND_NANO);
    assert.equal((await ledger.wallet(CALLER.accountId)).spentNano, 20 * SECOND_NANO);
    assert.deepEqual((await ledger.verify()).problems, []);
  },
);

testOnEachDatabase('the audio that an earlier owner of a job was charged for is deducted', async (db) => {
  const { ledger, billing, store } = await createJob(db);
  const first = (await store.claim(60_000))!;
  assert.equal(await (await openJobCharge(billing, first)).settle(8, 2), 16 * SECOND_NANO);
  await store.release(first.lease, { delayMs: 0, isAttempt: false });
  const second = (await store.claim(60_000))!;
  await store.cancel('asr_1', Date.now());
  const charge = await openJobCharge(billing, second);
  assert.equal(await charge.settle(20, 2), 24 * SECOND_NANO, 'the last owner of a cancelled job is charged');
  assert.equal((await ledger.wallet(CALLER.accountId)).spentNano, 40 * SECOND_NANO);
  assert.deepEqual((await ledger.verify()).problems, []);
});
