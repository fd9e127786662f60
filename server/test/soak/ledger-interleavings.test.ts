import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { KyselyPlugin } from 'kysely';
import type { Ledger } from '../../src/domain/accounts/ledger/ledger.ts';
import type { UsageRecord } from '../../src/domain/accounts/ledger/usage.ts';
import { type Database, openDatabase } from '../../src/infrastructure/sql/database.ts';
import { SqlKeyStore } from '../../src/infrastructure/sql/sql-key-store.ts';
import { SqlLedger } from '../../src/infrastructure/sql/sql-ledger.ts';
import { skipWithout } from '../support/missing-program.ts';
import { DATABASE_KINDS } from '../support/sql/databases.ts';

/** How many random interleavings are tried on each database. CI tries 10,000. */
const INTERLEAVINGS = Number(process.env.MYNAH_TEST_INTERLEAVINGS ?? 1000);
/** Interleavings that run at once, each with an account of its own, on the same books. */
const AT_ONCE = 20;
const HOLD_MS = 1000;

/** Something that happens to an account. The same hold may be named by several, in any order. */
type Step =
  | { readonly kind: 'top_up' | 'adjust' | 'refund'; readonly id: number; readonly amount: number }
  | { readonly kind: 'hold' | 'extend'; readonly id: number; readonly amount: number }
  | { readonly kind: 'settle'; readonly id: number; readonly share: number }
  | { readonly kind: 'void' | 'renew'; readonly id: number }
  | { readonly kind: 'expire' };

/** A step, and what goes wrong with it. */
interface Event {
  readonly step: Step;
  /** The server dies before this statement of the transaction; 0: it does not. */
  readonly crashAt: number;
  /** The answer is lost, so the client asks again. */
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
/** What happens one after the other, and within a turn at the same time. */
const interleaving = fc.array(fc.array(event, { minLength: 1, maxLength: 2 }), {
  minLength: 1,
  maxLength: 3,
});

class Crash extends Error {}

/** The ledger of a server that dies before its n-th statement. */
function dyingLedger(db: Database, crashAt: number, now: () => number): Ledger {
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

/** One account, what happened to it, and what must be true of it. */
class Story {
  readonly #db: Database;
  readonly #accountId: string;
  readonly #clock = { nowMs: 1_000_000 };
  /** The amounts that ids stand for: a repeated id must repeat its content. */
  readonly #amounts = new Map<string, number>();

  constructor(db: Database, accountId: string) {
    this.#db = db;
    this.#accountId = accountId;
  }

  async run(turns: readonly (readonly Event[])[]): Promise<void> {
    for (const turn of turns) {
      await Promise.all(turn.map((happening) => this.#happen(happening)));
      this.#clock.nowMs += HOLD_MS / 2;
    }
    const wallet = await new SqlLedger(this.#db).wallet(this.#accountId);
    assert.ok(wallet.availableNano >= 0 && wallet.heldNano >= 0 && wallet.spentNano >= 0);
    assert.ok(
      wallet.availableNano + wallet.heldNano <= wallet.toppedUpNano,
      'nobody has more than was paid in',
    );
  }

  async #happen({ step, crashAt, isRepeated }: Event): Promise<void> {
    const now = () => this.#clock.nowMs;
    if (crashAt > 0) {
      try {
        await this.#do(dyingLedger(this.#db, crashAt, now), step);
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
      }
      if (!isRepeated) return;
    }
    const ledger = new SqlLedger(this.#db, now);
    await this.#do(ledger, step);
    if (isRepeated) await this.#do(ledger, step);
  }

  async #do(ledger: Ledger, step: Step): Promise<void> {
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
        const expiresAtMs = this.#clock.nowMs + HOLD_MS;
        await ledger.hold({ id, accountId, meterId: accountId, capNano: undefined, amountNano, expiresAtMs });
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
        await ignoreMissing(ledger.settle(id, amountNano, this.#delivery(id)));
        return;
      }
      case 'void':
        await ignoreMissing(ledger.void(this.#id('h', step.id)));
        return;
      case 'renew':
        await ledger.renew([this.#id('h', step.id)], this.#clock.nowMs + HOLD_MS);
        return;
      case 'expire':
        await ledger.expire(this.#clock.nowMs);
    }
  }

  #id(kind: string, number: number): string {
    return `${this.#accountId}:${kind}:${number}`;
  }

  #amountOf(id: string, wanted: number): number {
    const amount = this.#amounts.get(id) ?? wanted;
    this.#amounts.set(id, amount);
    return amount;
  }

  #delivery(id: string): UsageRecord {
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

/** A hold that was refused, or has ended, is not there any more. */
async function ignoreMissing(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!/There is no (open )?hold/.test(String(error))) throw error;
  });
}

for (const kind of DATABASE_KINDS) {
  test(`${kind.name}: the books balance after ${INTERLEAVINGS} random interleavings, crashes and all`, async (context) => {
    const database = await kind.create();
    if (database === undefined) return skipWithout('postgres', context, `${kind.name} is not installed.`);
    const db = await openDatabase(database.address);
    try {
      const keys = new SqlKeyStore(db);
      let count = 0;
      const batches = fc.array(interleaving, { minLength: AT_ONCE, maxLength: AT_ONCE });
      const property = fc.asyncProperty(batches, async (stories) => {
        await Promise.all(
          stories.map(async (turns) => {
            count += 1;
            const id = `acc_${count}`;
            await keys.ensureAccount({ id, name: id, createdAtMs: 1 });
            await new SqlLedger(db).topUp({ id: `${id}:first`, accountId: id, amountNano: 100, memo: '' });
            await new Story(db, id).run(turns);
          }),
        );
      });
      await fc.assert(property, { numRuns: Math.ceil(INTERLEAVINGS / AT_ONCE), endOnFailure: true });
      const ledger = new SqlLedger(db);
      while ((await ledger.expire(Number.MAX_SAFE_INTEGER)) > 0);
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
