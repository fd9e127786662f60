import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { testOnEachDatabase } from '../../../../test/support/sql/databases.ts';
import {
  type HoldRequest,
  type Ledger,
  LedgerConflictError,
  TRANSFER_KINDS,
  type Wallet,
} from '../../../domain/accounts/ledger/ledger.ts';
import { NANO_MAX } from '../../../domain/accounts/ledger/money.ts';
import type { UsageRecord } from '../../../domain/accounts/ledger/usage.ts';
import { SqlKeyStore } from '../sql-key-store.ts';
import { SqlUsageStore } from '../sql-usage-store.ts';
import { SqlLedger } from './sql-ledger.ts';

const START_MS = Date.UTC(2026, 0, 31, 23, 59);

function holdOf(id: string, amountNano: number, change: Partial<HoldRequest> = {}): HoldRequest {
  const durationMs = 1000;
  return { id, accountId: 'acc_1', meterId: 'key_1', capNano: undefined, amountNano, durationMs, ...change };
}

function usageOf(id: string, change: Partial<UsageRecord> = {}): UsageRecord {
  return {
    id,
    accountId: 'acc_1',
    keyId: 'key_1',
    service: 'tts',
    model: 's1',
    voice: 'af_heart',
    units: 1,
    costNano: 0,
    atMs: START_MS,
    ...change,
  };
}

async function balances(ledger: Ledger, accountId = 'acc_1') {
  const { availableNano, heldNano, spentNano, toppedUpNano }: Wallet = await ledger.wallet(accountId);
  return [availableNano, heldNano, spentNano, toppedUpNano];
}

interface Setup {
  readonly ledger: SqlLedger;
  readonly clock: { nowMs: number };
}

/** A test with an account that has topped up 1,000. The ledger must be consistent afterwards. */
function testLedger(name: string, work: (setup: Setup) => Promise<void>): void {
  testOnEachDatabase(name, async (db) => {
    const keys = new SqlKeyStore(db);
    for (const id of ['acc_1', 'acc_2']) await keys.ensureAccount({ id, name: id, createdAtMs: 1 });
    const clock = { nowMs: START_MS };
    const ledger = new SqlLedger(db, () => clock.nowMs);
    await ledger.topUp({ id: 'top-1', accountId: 'acc_1', amountNano: 1000, memo: 'first' });
    await work({ ledger, clock });
    assert.deepEqual((await ledger.verify()).problems, []);
  });
}

testLedger('a top-up becomes available credit', async ({ ledger }) => {
  assert.deepEqual(await balances(ledger), [1000, 0, 0, 1000]);
  assert.deepEqual(await balances(ledger, 'acc_2'), [0, 0, 0, 0]);
});

testLedger('settling a hold charges the delivered amount and releases the rest', async ({ ledger }) => {
  assert.equal(await ledger.hold(holdOf('h1', 300)), 'held');
  assert.deepEqual(await balances(ledger), [700, 300, 0, 1000]);
  assert.equal((await ledger.settle('h1', 100, usageOf('h1'))).state, 'settled');
  assert.deepEqual(await balances(ledger), [900, 0, 100, 1000]);
  assert.equal(await ledger.chargedNano(['h1', 'h2']), 100);
});

testLedger('a hold can be extended within the credit and the cap', async ({ ledger }) => {
  await ledger.hold(holdOf('h1', 100));
  assert.equal(await ledger.extendTo('h1', 250, undefined), 'held');
  assert.equal(await ledger.extendTo('h1', 250, undefined), 'held');
  assert.equal(await ledger.extendTo('h1', 200, undefined), 'held');
  assert.deepEqual(await balances(ledger), [750, 250, 0, 1000]);
  assert.equal(await ledger.extendTo('h1', 1001, undefined), 'no_credit');
  assert.equal(await ledger.extendTo('h1', 300, 299), 'over_cap');
  assert.equal((await ledger.settle('h1', 220, usageOf('h1'))).state, 'settled');
  assert.deepEqual(await balances(ledger), [780, 0, 220, 1000]);
  await assert.rejects(ledger.extendTo('h1', 300, undefined), LedgerConflictError);
});

testLedger('voiding a hold releases its full amount', async ({ ledger }) => {
  await ledger.hold(holdOf('h1', 300));
  assert.equal(await ledger.void('h1'), 'voided');
  assert.deepEqual(await balances(ledger), [1000, 0, 0, 1000]);
});

testLedger('a hold ends once, and later calls return its state', async ({ ledger }) => {
  await ledger.hold(holdOf('h1', 300));
  await ledger.settle('h1', 300, usageOf('h1'));
  assert.equal(await ledger.void('h1'), 'settled');
  assert.equal((await ledger.settle('h1', 300, usageOf('h1'))).state, 'settled');
  await ledger.hold(holdOf('h2', 300));
  await ledger.void('h2');
  assert.equal((await ledger.settle('h2', 300, usageOf('h2'))).state, 'voided');
  assert.deepEqual(await balances(ledger), [700, 0, 300, 1000]);
});

testLedger('a hold expires unless it is renewed', async ({ ledger, clock }) => {
  await ledger.hold(holdOf('h1', 300));
  await ledger.hold(holdOf('h2', 300));
  await ledger.renew(['h2'], 5000);
  clock.nowMs = START_MS + 999;
  assert.equal(await ledger.expire(), 0);
  clock.nowMs = START_MS + 1000;
  assert.equal(await ledger.expire(), 1);
  assert.equal(await ledger.void('h1'), 'expired');
  assert.equal((await ledger.settle('h2', 300, usageOf('h2'))).state, 'settled');
  assert.deepEqual(await balances(ledger), [700, 0, 300, 1000]);
});

testLedger('an expired hold is charged once, as far as the credit suffices', async ({ ledger, clock }) => {
  await ledger.hold(holdOf('h1', 600));
  await ledger.hold(holdOf('h2', 400));
  clock.nowMs = START_MS + 1000;
  assert.equal(await ledger.expire(), 2);
  await ledger.hold(holdOf('h3', 450));
  assert.equal((await ledger.settle('h2', 401, usageOf('h2'))).state, 'expired', 'more than was held');
  for (let call = 0; call < 2; call++) {
    const settled = await ledger.settle('h1', 600, usageOf('h1'));
    assert.deepEqual(settled, { state: 'settled', chargedNano: 550 }, 'the available 550');
    assert.deepEqual(await balances(ledger), [0, 450, 550, 1000]);
  }
  const nothing = await ledger.settle('h2', 400, usageOf('h2'));
  assert.deepEqual(nothing, { state: 'expired', chargedNano: 0 }, 'there is no credit');
  await ledger.void('h3');
  await ledger.settle('h2', 400, usageOf('h2'));
  assert.deepEqual(await balances(ledger), [50, 0, 950, 1000]);
});

testLedger(
  'an expired hold is charged as far as the spend cap of the key allows',
  async ({ ledger, clock }) => {
    const capNano = 500;
    await ledger.hold(holdOf('h1', 300, { capNano }));
    await ledger.hold(holdOf('h2', 200, { capNano }));
    clock.nowMs = START_MS + 1000;
    assert.equal(await ledger.expire(), 2);
    await ledger.hold(holdOf('h3', 400, { capNano }));
    await ledger.hold(holdOf('other', 100, { capNano, meterId: 'key_2' }));
    const settle = (id: string, amountNano: number) =>
      ledger.settle(id, amountNano, usageOf(id), { capNano });
    assert.deepEqual(await settle('h1', 300), { state: 'settled', chargedNano: 100 }, '400 of 500 are held');
    assert.deepEqual(await settle('h2', 200), { state: 'expired', chargedNano: 0 }, 'the cap is reached');
    assert.equal((await settle('h3', 350)).state, 'settled');
    assert.deepEqual(await settle('h2', 200), { state: 'settled', chargedNano: 50 }, 'h3 released 50');
    assert.equal((await settle('other', 100)).state, 'settled');
    assert.deepEqual(await balances(ledger), [400, 0, 600, 1000], '500 by the key and 100 by the other one');
    assert.equal(await ledger.hold(holdOf('h5', 1, { capNano })), 'over_cap');
  },
);

testLedger(
  'late settlements of a key at the same time do not exceed its spend cap',
  async ({ ledger, clock }) => {
    const capNano = 100;
    const ids = Array.from({ length: 10 }, (_, index) => `h${index}`);
    for (const id of ids) await ledger.hold(holdOf(id, 30));
    clock.nowMs = START_MS + 1000;
    assert.equal(await ledger.expire(), ids.length);
    const outcomes = await Promise.all(ids.map((id) => ledger.settle(id, 30, usageOf(id), { capNano })));
    const charges = outcomes.map(({ chargedNano }) => chargedNano).sort((one, two) => two - one);
    assert.deepEqual(charges, [30, 30, 30, 10, 0, 0, 0, 0, 0, 0]);
    assert.deepEqual(await balances(ledger), [900, 0, 100, 1000]);
  },
);

testLedger(
  'a hold that ended without a charge cannot be placed again under its id',
  async ({ ledger, clock }) => {
    await ledger.hold(holdOf('h1', 300));
    await ledger.hold(holdOf('h2', 300));
    await ledger.void('h1');
    clock.nowMs = START_MS + 1000;
    await ledger.expire();
    await assert.rejects(ledger.hold(holdOf('h1', 300)), LedgerConflictError);
    await assert.rejects(ledger.hold(holdOf('h2', 300)), LedgerConflictError);
    assert.deepEqual(await balances(ledger), [1000, 0, 0, 1000]);
  },
);

testLedger('repeating an operation with the same id has no effect', async ({ ledger }) => {
  for (const expected of ['booked', 'known']) {
    await ledger.topUp({ id: 'top-2', accountId: 'acc_1', amountNano: 500, memo: 'again' });
    assert.equal(await ledger.hold(holdOf('h1', 100)), 'held');
    assert.equal((await ledger.settle('h1', 50, usageOf('h1'))).state, 'settled');
    assert.equal(await ledger.refund({ id: 'r1', accountId: 'acc_1', amountNano: 20, memo: '' }), expected);
    assert.equal(await ledger.adjust({ id: 'a1', accountId: 'acc_1', amountNano: -5, memo: '' }), expected);
  }
  assert.deepEqual(await balances(ledger), [1465, 0, 30, 1500]);
});

testLedger('reusing an id with other content is refused', async ({ ledger }) => {
  await ledger.hold(holdOf('h1', 100));
  const other = { id: 'top-1', memo: '' };
  await assert.rejects(ledger.topUp({ ...other, accountId: 'acc_1', amountNano: 7 }), LedgerConflictError);
  await assert.rejects(ledger.topUp({ ...other, accountId: 'acc_2', amountNano: 1000 }), LedgerConflictError);
  await assert.rejects(ledger.hold(holdOf('h1', 101)), LedgerConflictError);
  await assert.rejects(ledger.settle('nothing', 1, usageOf('nothing')), LedgerConflictError);
  assert.deepEqual(await balances(ledger), [900, 100, 0, 1000]);
});

testLedger('no operation can exceed the available credit', async ({ ledger }) => {
  assert.equal(await ledger.hold(holdOf('h1', 1001)), 'no_credit');
  assert.equal(await ledger.hold(holdOf('h2', 1, { accountId: 'acc_2' })), 'no_credit');
  assert.equal(
    await ledger.adjust({ id: 'a1', accountId: 'acc_1', amountNano: -1001, memo: '' }),
    'not_possible',
  );
  assert.equal(
    await ledger.refund({ id: 'r1', accountId: 'acc_1', amountNano: 1, memo: '' }),
    'not_possible',
  );
  await ledger.hold(holdOf('h3', 10));
  await assert.rejects(ledger.settle('h3', 11, usageOf('h3')), RangeError);
  await ledger.void('h3');
  assert.deepEqual(await balances(ledger), [1000, 0, 0, 1000]);
});

testLedger('the spend cap of a key includes its open holds', async ({ ledger }) => {
  const capNano = 250;
  assert.equal(await ledger.hold(holdOf('h0', 251, { capNano })), 'over_cap');
  assert.equal(await ledger.hold(holdOf('h1', 200, { capNano })), 'held');
  assert.equal(await ledger.hold(holdOf('h2', 100, { capNano })), 'over_cap');
  await ledger.settle('h1', 150, usageOf('h1'));
  assert.equal(await ledger.hold(holdOf('h3', 100, { capNano })), 'held');
  assert.equal(await ledger.hold(holdOf('h4', 1, { capNano })), 'over_cap');
  assert.equal(await ledger.hold(holdOf('h5', 1, { capNano, meterId: 'key_2' })), 'held');
  assert.deepEqual(await balances(ledger), [749, 101, 150, 1000]);
});

testLedger('of 300 concurrent holds against credit for 100, exactly 100 succeed', async ({ ledger }) => {
  const outcomes = await Promise.all(
    Array.from({ length: 300 }, (_, index) => ledger.hold(holdOf(`h${index}`, 10))),
  );
  assert.equal(outcomes.filter((outcome) => outcome === 'held').length, 100);
  assert.deepEqual(await balances(ledger), [0, 1000, 0, 1000]);
});

testLedger(
  'amounts that are not positive integers within the limit throw a RangeError',
  async ({ ledger }) => {
    for (const amountNano of [0, -1, 0.5, Number.NaN, NANO_MAX + 1, Number.MAX_SAFE_INTEGER]) {
      await assert.rejects(ledger.hold(holdOf('h1', amountNano)), RangeError, String(amountNano));
    }
    const rest = { id: 'top-2', accountId: 'acc_1', memo: '' };
    assert.equal(await ledger.topUp({ ...rest, amountNano: NANO_MAX - 999 }), 'not_possible');
    await ledger.topUp({ ...rest, amountNano: NANO_MAX - 1000 });
    assert.deepEqual(await balances(ledger), [NANO_MAX, 0, 0, NANO_MAX]);
  },
);

testLedger('transfers are listed by time range, oldest first', async ({ ledger, clock }) => {
  clock.nowMs = START_MS + 120_000;
  await ledger.hold(holdOf('h1', 100));
  clock.nowMs += 1;
  await ledger.settle('h1', 60, usageOf('h1', { atMs: clock.nowMs }));
  const february = await ledger.transfers({
    accountId: 'acc_1',
    fromMs: Date.UTC(2026, 1, 1),
    toMs: Date.UTC(2026, 2, 1),
    kinds: TRANSFER_KINDS,
  });
  assert.deepEqual(
    february.map(({ kind, amountNano }) => [kind, amountNano]),
    [
      ['hold', 100],
      ['release', 40],
      ['settle', 60],
    ],
  );
  const january = await ledger.transfers({
    accountId: 'acc_1',
    fromMs: 0,
    toMs: Date.UTC(2026, 1, 1),
    kinds: ['top_up'],
  });
  assert.equal(await ledger.ownedNano('acc_1', START_MS), 0);
  assert.equal(await ledger.ownedNano('acc_1', clock.nowMs), 1000);
  assert.equal(await ledger.ownedNano('acc_1', clock.nowMs + 1), 940);
  assert.deepEqual(
    january.map(({ kind, memo }) => [kind, memo]),
    [['top_up', 'first']],
  );
});

testOnEachDatabase(
  'triggers and constraints of the database reject changes of transfers and negative balances',
  async (db) => {
    await new SqlKeyStore(db).ensureAccount({ id: 'acc_1', name: 'Ada', createdAtMs: 1 });
    await new SqlLedger(db).topUp({ id: 'top-1', accountId: 'acc_1', amountNano: 5, memo: '' });
    await assert.rejects(db.updateTable('ledger_transfer').set({ amount: 6 }).execute(), /only be added/);
    await assert.rejects(db.deleteFrom('ledger_transfer').execute(), /only be added/);
    await assert.rejects(sql`update wallet set available = -1`.execute(db), /check/i);
  },
);

const TAMPERINGS = [
  [
    'a balance',
    sql`update wallet set available = available + 1`,
    /available is 961, but its transfers add up to 960/,
  ],
  [
    'a hold',
    sql`update hold set state = 'voided' where id = 'h2'`,
    /Hold h2 is voided, but 10 of 10 are held/,
  ],
  ['a settlement', sql`update hold set settled = 31 where id = 'h1'`, /Hold h1 was settled for 31, but 30/],
  ['a meter', sql`update key_meter set spent = 0`, /meter of key key_1/],
  ['a usage record', sql`delete from usage`, /was charged 30, but its usage records cost 0/],
] as const;
for (const [subject, statement, message] of TAMPERINGS) {
  testOnEachDatabase(`verify detects a manipulation of ${subject}`, async (db) => {
    await new SqlKeyStore(db).ensureAccount({ id: 'acc_1', name: 'Ada', createdAtMs: 1 });
    const ledger = new SqlLedger(db, () => START_MS);
    await ledger.topUp({ id: 'top-1', accountId: 'acc_1', amountNano: 1000, memo: '' });
    await ledger.hold(holdOf('h1', 30));
    await ledger.settle('h1', 30, usageOf('h1'));
    await ledger.hold(holdOf('h2', 10));
    assert.deepEqual((await ledger.verify()).problems, []);
    await statement.execute(db);
    assert.match((await ledger.verify()).problems.join('\n'), message);
  });
}

testOnEachDatabase('usage is summed by the requested groups', async (db) => {
  const usage = new SqlUsageStore(db);
  const day = 86_400_000;
  await usage.record(usageOf('u1', { units: 5, voice: 'a' }));
  await usage.record(usageOf('u2', { units: 7, voice: 'b', atMs: START_MS + day }));
  await usage.record(usageOf('u2', { units: 7, voice: 'b', atMs: START_MS + day }));
  await usage.record(usageOf('u3', { units: 9, accountId: 'acc_2', costNano: 4 }));
  const all = { accountId: undefined, fromMs: 0, toMs: START_MS + 2 * day };
  assert.deepEqual(await usage.sum({ ...all, by: [] }), [{ requests: 3, units: 21, costNano: 4 }]);
  assert.deepEqual(await usage.sum({ ...all, accountId: 'acc_1', by: ['day', 'voice'] }), [
    { day: '2026-01-31', voice: 'a', requests: 1, units: 5, costNano: 0 },
    { day: '2026-02-01', voice: 'b', requests: 1, units: 7, costNano: 0 },
  ]);
  assert.deepEqual(await usage.sum({ ...all, toMs: START_MS, by: ['account'] }), []);
});
