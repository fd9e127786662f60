import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_SCOPES } from '../../../domain/accounts/caller.ts';
import { PriceTable } from '../../../domain/accounts/ledger/prices.ts';
import { Billing } from '../../../domain/accounts/metering/billing.ts';
import { ApiError } from '../../../errors.ts';
import { openDatabase } from '../database.ts';
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

test('a request that is delivered during an outage of the database is charged after it, once', async () => {
  const db = await openDatabase(':memory:');
  await new SqlKeyStore(db).ensureAccount({ id: CALLER.accountId, name: 'Ada', createdAtMs: 1 });
  const clock = { nowMs: 1_000_000 };
  const ledger = new SqlLedger(db, () => clock.nowMs);
  await ledger.topUp({ id: 'credit', accountId: CALLER.accountId, amountNano: 1_000_000, memo: '' });
  const settle = ledger.settle.bind(ledger);
  const outage = async () => {
    throw new ApiError('database_unavailable', 'The database is not available.');
  };
  const problems: string[] = [];
  const billing = new Billing({
    ledger,
    usage: new SqlUsageStore(db),
    prices: new PriceTable(),
    isPrepaid: true,
    holdMs: 1000,
    onProblem: (_error, description) => problems.push(description),
    now: () => clock.nowMs,
  });
  const charge = await billing.openCharge(CALLER, { service: 'tts', model: 's1', units: 10 });
  ledger.settle = outage;
  assert.equal(await charge.settle(10), charge.priceNano, 'the amount that will be charged');
  await billing.sweep();
  assert.equal((await ledger.wallet(CALLER.accountId)).spentNano, 0);

  // The transaction took effect, and its confirmation was lost.
  ledger.settle = async (...given) => {
    await settle(...given);
    return outage();
  };
  await billing.sweep();
  ledger.settle = settle;
  clock.nowMs += 10_000;
  await billing.sweep();
  await billing.sweep();
  const { spentNano, heldNano } = await ledger.wallet(CALLER.accountId);
  assert.deepEqual([spentNano, heldNano], [charge.priceNano, 0]);
  const { usages } = await db
    .selectFrom('usage')
    .select(({ fn }) => fn.countAll<number>().as('usages'))
    .executeTakeFirstOrThrow();
  assert.equal(usages, 1);
  assert.deepEqual((await ledger.verify()).problems, []);
  assert.deepEqual(new Set(problems), new Set(['holds could not be swept']));
  await db.destroy();
});

test('a request whose hold has expired is charged within the spend cap of its key, and reported', async () => {
  const db = await openDatabase(':memory:');
  await new SqlKeyStore(db).ensureAccount({ id: CALLER.accountId, name: 'Ada', createdAtMs: 1 });
  const clock = { nowMs: 1_000_000 };
  const ledger = new SqlLedger(db, () => clock.nowMs);
  await ledger.topUp({ id: 'credit', accountId: CALLER.accountId, amountNano: 1_000_000, memo: '' });
  const problems: string[] = [];
  const billing = new Billing({
    ledger,
    usage: new SqlUsageStore(db),
    prices: new PriceTable(),
    isPrepaid: true,
    holdMs: 1000,
    onProblem: (_error, description) => problems.push(description),
    now: () => clock.nowMs,
  });
  const request = { service: 'tts', model: 's1', units: 10 } as const;
  const byteNano = (await billing.openCharge(CALLER, request)).priceNano / request.units;
  const caller = { ...CALLER, meterId: 'key_2', keyId: 'key_2', spendCapNano: 12 * byteNano };
  const stalled = await billing.openCharge(caller, request);
  clock.nowMs += 10_000;
  await ledger.expire();
  const other = await billing.openCharge(caller, request);
  assert.equal(await other.settle(10), 10 * byteNano);
  assert.equal(await stalled.settle(10), 2 * byteNano, 'what is left of the cap');
  assert.equal((await ledger.wallet(CALLER.accountId)).spentNano, 12 * byteNano);
  assert.deepEqual(problems, ['a request was charged in part']);
  assert.deepEqual((await ledger.verify()).problems, []);
  await db.destroy();
});
