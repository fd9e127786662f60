import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { KyselyPlugin } from 'kysely';
import type { Ledger } from '../../src/domain/accounts/ledger/ledger.ts';
import type { UsageRecord } from '../../src/domain/accounts/ledger/usage.ts';
import { type Database, openDatabase } from '../../src/infrastructure/sql/database.ts';
import { SqlLedger } from '../../src/infrastructure/sql/ledger/sql-ledger.ts';
import { SqlKeyStore } from '../../src/infrastructure/sql/sql-key-store.ts';
import { skipWithout } from '../support/servers/missing-program.ts';
import { DATABASE_KINDS } from '../support/sql/databases.ts';

/** Number of random interleavings on each database. CI runs 10,000. */
const INTERLEAVINGS = Number(process.env.MYNAH_TEST_INTERLEAVINGS ?? 400);
/** Number of concurrent interleavings, each with its own account, on the same ledger. */
const CONCURRENCY = 20;
const HOLD_MS = 1000;
const DAY_MS = 86_400_000;

/** An operation on an account. Several operations may refer to the same hold, in any order. */
type Step =
  | { readonly kind: 'top_up' | 'adjust' | 'refund'; readonly id: number; readonly amount: number }
  | { readonly kind: 'hold' | 'extend'; readonly id: number; readonly amount: number }
  | { readonly kind: 'settle'; readonly id: number; readonly share: number }
  | { readonly kind: 'void' | 'renew'; readonly id: number }
  | { readonly kind: 'expire' };

/** An operation with its faults. */
interface Event {
  readonly step: Step;
  /** The server crashes before this statement of the transaction; 0: no crash. */
  readonly crashAt: number;
  /** The response is lost, and the client repeats the request. */
  readonly isRepeated: boolean;
}

const id = fc.nat(2);
const amount = fc.integer({ min: 1, max: 100 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('top_up', 'adjust', 'refund'), id, amount }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('hold', 'hold', 'extend'), id, amount }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('settle'), id, share: fc.integer({ min: 1, max: 100 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('void', 'renew'), id }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('expire') }) },
);
const event: fc.Arbitrary<Event> = fc.record({
  step,
  crashAt: fc.oneof(
    { weight: 4, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 6 }) },
  ),
  isRepeated: fc.boolean(),
});
/** A sequence of rounds. The events of a round are concurrent. */
const interleaving = fc.array(fc.array(event, { minLength: 1, maxLength: 2 }), {
  minLength: 1,
  maxLength: 3,
});

class Crash extends Error {}

/** A ledger that crashes before its n-th statement. */
function createCrashingLedger(db: Database, crashAt: number, now: () => number): Ledger {
  let statements = 0;
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      statements += 1;
      if (statements === crashAt) throw new Crash();
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return new SqlLedger(db.withPlugin(plugin), now);
}

/** Runs events on one account and checks the invariants of its wallet. */
class AccountScenario {
  readonly #db: Database;
  readonly #accountId: string;
  readonly #clock = { nowMs: 1_000_000 };
  /** Amounts by id: a repeated id must have the same content. */
  readonly #amounts = new Map<string, number>();

  constructor(db: Database, accountId: string) {
    this.#db = db;
    this.#accountId = accountId;
  }

  async run(rounds: readonly (readonly Event[])[]): Promise<void> {
    for (const round of rounds) {
      await Promise.all(round.map((event) => this.#runEvent(event)));
      this.#clock.nowMs += HOLD_MS / 2;
    }
    const wallet = await new SqlLedger(this.#db).wallet(this.#accountId);
    assert.ok(wallet.availableNano >= 0 && wallet.heldNano >= 0 && wallet.spentNano >= 0);
    assert.ok(
      wallet.availableNano + wallet.heldNano <= wallet.toppedUpNano,
      'the balance does not exceed the top-ups',
    );
  }

  async #runEvent({ step, crashAt, isRepeated }: Event): Promise<void> {
    const now = () => this.#clock.nowMs;
    if (crashAt > 0) {
      try {
        await this.#runStep(createCrashingLedger(this.#db, crashAt, now), step);
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
      }
      if (!isRepeated) return;
    }
    const ledger = new SqlLedger(this.#db, now);
    await this.#runStep(ledger, step);
    if (isRepeated) await this.#runStep(ledger, step);
  }

  async #runStep(ledger: Ledger, step: Step): Promise<void> {
    const accountId = this.#accountId;
    switch (step.kind) {
      case 'top_up':
      case 'adjust':
      case 'refund': {
        const id = this.#id(step.kind, step.id);
        const booking = { id, accountId, amountNano: this.#amountOf(id, step.amount), memo: '' };
        if (step.kind === 'top_up') await ledger.topUp(booking);
        else if (step.kind === 'adjust') await ledger.adjust({ ...booking, amountNano: -booking.amountNano });
        else await ledger.refund(booking);
        return;
      }
      case 'hold': {
        const id = this.#id('h', step.id);
        const amountNano = this.#amountOf(id, step.amount);
        const hold = { id, accountId, meterId: accountId, capNano: undefined, amountNano };
        await ignoreMissing(ledger.hold({ ...hold, durationMs: HOLD_MS }));
        return;
      }
      case 'extend':
        await ignoreMissing(ledger.extendTo(this.#id('h', step.id), step.amount, undefined));
        return;
      case 'settle': {
        const id = this.#id('h', step.id);
        const held = this.#amounts.get(id);
        if (held === undefined) return;
        const amountNano = Math.max(1, Math.floor((held * step.share) / 100));
        await ignoreMissing(ledger.settle(id, amountNano, this.#usageOf(id)));
        return;
      }
      case 'void':
        await ignoreMissing(ledger.void(this.#id('h', step.id)));
        return;
      case 'renew':
        await ledger.renew([this.#id('h', step.id)], HOLD_MS);
        return;
      case 'expire':
        await ledger.expire();
    }
  }

  #id(kind: string, number: number): string {
    return `${this.#accountId}:${kind}:${number}`;
  }

  #amountOf(id: string, initial: number): number {
    const amount = this.#amounts.get(id) ?? initial;
    this.#amounts.set(id, amount);
    return amount;
  }

  #usageOf(id: string): UsageRecord {
    const accountId = this.#accountId;
    const rest = {
      service: 'tts',
      model: 's1',
      voice: '',
      units: 1,
      costNano: 0,
      atMs: this.#clock.nowMs,
    } as const;
    return { id, accountId, keyId: accountId, ...rest };
  }
}

/** Ignores the error for a hold that was refused or has ended. */
async function ignoreMissing(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!/There is no (open )?hold|The hold \S+ is (expired|voided)/.test(String(error))) throw error;
  });
}

for (const kind of DATABASE_KINDS) {
  test(`${kind.name}: the ledger is consistent after ${INTERLEAVINGS} random interleavings with crashes`, async (context) => {
    const database = await kind.create();
    if (database === undefined) return skipWithout('postgres', context, `${kind.name} is not installed.`);
    const db = await openDatabase(database.address);
    try {
      const keys = new SqlKeyStore(db);
      let count = 0;
      const batches = fc.array(interleaving, { minLength: CONCURRENCY, maxLength: CONCURRENCY });
      const property = fc.asyncProperty(batches, async (scenarios) => {
        await Promise.all(
          scenarios.map(async (rounds) => {
            count += 1;
            const id = `acc_${count}`;
            await keys.ensureAccount({ id, name: id, createdAtMs: 1 });
            await new SqlLedger(db).topUp({ id: `${id}:first`, accountId: id, amountNano: 100, memo: '' });
            await new AccountScenario(db, id).run(rounds);
          }),
        );
      });
      await fc.assert(property, { numRuns: Math.ceil(INTERLEAVINGS / CONCURRENCY), endOnFailure: true });
      const ledger = new SqlLedger(db, () => Date.now() + DAY_MS);
      while ((await ledger.expire()) > 0);
      const report = await ledger.verify();
      assert.deepEqual(report.problems, []);
      assert.equal(report.openHolds, 0);
      assert.ok(report.accounts >= INTERLEAVINGS);
      assert.ok(report.chargedNano > 0n);
      context.diagnostic(`${report.transfers} transfers of ${report.accounts} accounts`);
    } finally {
      await db.destroy();
      await database.remove();
    }
  });
}
