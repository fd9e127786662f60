import assert from 'node:assert/strict';
import { testOnEachDatabase } from '../../../test/support/sql/databases.ts';
import { DEFAULT_SCOPES } from '../../domain/accounts/caller.ts';
import { PriceTable } from '../../domain/accounts/ledger/prices.ts';
import { Billing } from '../../domain/accounts/metering/billing.ts';
import { openSectionCharge } from '../../domain/audiobooks/section-charge.ts';
import type { Database } from './database.ts';
import { SqlLedger } from './ledger/sql-ledger.ts';
import { SqlAudiobookStore } from './sql-audiobook-store.ts';
import { SqlKeyStore } from './sql-key-store.ts';
import { SqlUsageStore } from './sql-usage-store.ts';

const LEASE_MS = 60_000;
const BYTE_NANO = 15_000;
const CALLER = {
  accountId: 'acc_1',
  keyId: 'key_1',
  meterId: 'key_1',
  scopes: DEFAULT_SCOPES,
  spendCapNano: undefined,
  requestsPerMinute: undefined,
  concurrencyMax: undefined,
};

async function createJob(db: Database) {
  await new SqlKeyStore(db).ensureAccount({ id: CALLER.accountId, name: 'Ada', createdAtMs: 1 });
  const store = new SqlAudiobookStore(db);
  await store.add({
    id: 'book_1',
    caller: CALLER,
    options: {
      model: 's1',
      voice: undefined,
      dictionaries: [],
      chapters: {},
      format: 'mp3',
      bitrateKbps: 64,
      speed: 1,
      language: undefined,
      seed: 1,
      title: undefined,
      author: undefined,
    },
    chapters: [{ title: 'One', characters: 10, sections: 2 }],
    createdAtMs: 1,
  });
  return store;
}

testOnEachDatabase('a paused job keeps its sections, and its earlier owner cannot write', async (db) => {
  const store = await createJob(db);
  const { lease } = (await store.claim(LEASE_MS))!;
  assert.equal(await store.claim(LEASE_MS), undefined);
  const section = { index: 0, samples: 100, lufs: -18.5 };
  assert.equal(await store.addSection(lease, section), true);
  assert.equal(await store.addSection(lease, section), true);
  assert.equal((await store.find('book_1'))?.sectionsSpoken, 1);
  assert.equal(await store.pause('book_1'), true);
  assert.equal(await store.claim(LEASE_MS), undefined);
  assert.equal(await store.addSection(lease, { ...section, index: 1 }), false);
  assert.equal(await store.end(lease, { status: 'finished' }, 1), false);
  assert.equal(await store.resume('book_1'), true);
  const second = (await store.claim(LEASE_MS))!;
  assert.equal(await store.renew(lease, LEASE_MS), false);
  assert.deepEqual(await store.sections('book_1'), [section]);
  assert.equal(await store.end(second.lease, { status: 'finished' }, 5), true);
  assert.equal(await store.resume('book_1'), false);
  assert.deepEqual(await store.endedBefore(6), ['book_1']);
  await store.remove('book_1');
  assert.deepEqual(await store.sections('book_1'), []);
});

testOnEachDatabase('a section that was charged but not stored is not charged again', async (db) => {
  const store = await createJob(db);
  const ledger = new SqlLedger(db);
  await ledger.topUp({ id: 'top', accountId: CALLER.accountId, amountNano: 1_000 * BYTE_NANO, memo: '' });
  const billing = new Billing({
    ledger,
    usage: new SqlUsageStore(db),
    prices: new PriceTable(),
    isPrepaid: true,
    holdMs: 1000,
    onProblem: () => {},
  });
  const first = (await store.claim(0))!;
  const charge = await openSectionCharge(billing, first, { index: 0, units: 10 });
  assert.equal(await charge.settle(10), 10 * BYTE_NANO);
  // The process dies before it stores the section; the next owner speaks it again.
  const second = (await store.claim(LEASE_MS))!;
  const again = await openSectionCharge(billing, second, { index: 0, units: 10 });
  assert.equal(await again.settle(10), 0);
  const next = await openSectionCharge(billing, second, { index: 1, units: 7 });
  const stale = await openSectionCharge(billing, first, { index: 1, units: 7 });
  assert.equal(await stale.settle(7), 0, 'the process that lost the lease charges nothing');
  assert.equal(await next.settle(7), 7 * BYTE_NANO);
  assert.equal((await ledger.wallet(CALLER.accountId)).spentNano, 17 * BYTE_NANO);
  assert.deepEqual((await ledger.verify()).problems, []);
});
