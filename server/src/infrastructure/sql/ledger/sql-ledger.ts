import { type Transaction as KyselyTransaction, type RawBuilder, sql } from 'kysely';
import {
  type Booking,
  type BookingOutcome,
  type HoldOutcome,
  type HoldRequest,
  type HoldState,
  type Ledger,
  LedgerConflictError,
  type LedgerReport,
  type SettleOptions,
  type SettleOutcome,
  type Transfer,
  type TransferQuery,
  type Wallet,
} from '../../../domain/accounts/ledger/ledger.ts';
import { NANO_MAX } from '../../../domain/accounts/ledger/money.ts';
import type { UsageRecord } from '../../../domain/accounts/ledger/usage.ts';
import type { Database } from '../database.ts';
import { databaseTime } from '../database-clock.ts';
import { lockLease } from '../lease-fence.ts';
import type { Tables } from '../schema.ts';
import { usageRow } from '../sql-usage-store.ts';
import { bookTransfer } from './book-transfer.ts';
import { insertTransfers } from './insert-transfers.ts';
import { ADJUSTMENTS, availableLedgerAccount, CASH, heldLedgerAccount, REVENUE } from './ledger-accounts.ts';
import {
  type OpenHolds,
  queryChargedNano,
  queryOpenHolds,
  queryOwnedNano,
  queryTransfers,
  queryWallet,
} from './ledger-queries.ts';
import { verifyLedger } from './ledger-verification.ts';
import { attempt, Refusal } from './refusal.ts';
import { assertAmount, assertSame } from './transfer-checks.ts';

type Transaction = KyselyTransaction<Tables>;

/** Maximum number of holds that one call of `expire` ends. */
const EXPIRED_BATCH = 500;

/**
 * The ledger. Every transaction begins with a conditional write, so that SQLite takes its write lock before the first
 * read. Transactions wait for nothing but the database.
 */
export class SqlLedger implements Ledger {
  readonly #db: Database;
  readonly #now: () => number;
  /** The time that decides whether a hold has expired, with an offset. */
  readonly #expiryTime: (offsetMs: number) => RawBuilder<number>;

  /** `now` replaces the clocks of the process and of the database in tests. */
  constructor(db: Database, now?: () => number) {
    this.#db = db;
    this.#now = now ?? Date.now;
    this.#expiryTime = (offsetMs) =>
      now === undefined ? databaseTime(db, offsetMs) : sql<number>`cast(${now() + offsetMs} as bigint)`;
  }

  /** Number and age of the open holds of all accounts. */
  openHolds(): Promise<OpenHolds> {
    return queryOpenHolds(this.#db, this.#now());
  }

  wallet(accountId: string): Promise<Wallet> {
    return queryWallet(this.#db, accountId);
  }

  topUp(booking: Booking): Promise<BookingOutcome> {
    const to = availableLedgerAccount(booking.accountId);
    return bookTransfer(this.#db, { ...booking, kind: 'top_up', from: CASH, to, nowMs: this.#now() });
  }

  adjust(booking: Booking): Promise<BookingOutcome> {
    const own = availableLedgerAccount(booking.accountId);
    const [from, to] = booking.amountNano >= 0 ? [ADJUSTMENTS, own] : [own, ADJUSTMENTS];
    const amountNano = Math.abs(booking.amountNano);
    const nowMs = this.#now();
    return bookTransfer(this.#db, { ...booking, amountNano, kind: 'adjustment', from, to, nowMs });
  }

  refund(booking: Booking): Promise<BookingOutcome> {
    const to = availableLedgerAccount(booking.accountId);
    return bookTransfer(this.#db, { ...booking, kind: 'refund', from: REVENUE, to, nowMs: this.#now() });
  }

  async hold(request: HoldRequest): Promise<HoldOutcome> {
    const { id, accountId, meterId, amountNano, capNano, durationMs } = request;
    assertAmount(amountNano);
    if (capNano !== undefined && amountNano > capNano) return 'over_cap';
    return attempt<HoldOutcome>(this.#db, async (tx) => {
      const isNew = await tx
        .insertInto('hold')
        .values({
          id,
          account_id: accountId,
          meter_id: meterId,
          amount: amountNano,
          state: 'open',
          created_at: this.#now(),
          expires_at: this.#expiryTime(durationMs),
        })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .returning('id')
        .executeTakeFirst();
      if (isNew === undefined) {
        // Compared with the initial amount: the hold may have been extended since.
        const initial = await tx
          .selectFrom('ledger_transfer')
          .select(['account_id', 'amount'])
          .where('id', '=', initialTransferId(id))
          .executeTakeFirst();
        assertSame(initial?.account_id === accountId && initial.amount === amountNano, id);
        const state = await this.#stateOf(tx, id);
        const isChargeable = state === 'open' || state === 'settled';
        if (!isChargeable) throw new LedgerConflictError(`The hold ${id} is ${state}.`);
        return 'held';
      }
      await this.#moveToHeld(tx, {
        id,
        accountId,
        meterId,
        amountNano,
        capNano,
        transferId: initialTransferId(id),
      });
      return 'held';
    });
  }

  async extendTo(holdId: string, amountNano: number, capNano: number | undefined): Promise<HoldOutcome> {
    assertAmount(amountNano);
    return attempt<HoldOutcome>(this.#db, async (tx) => {
      // Changes nothing; takes the lock before the amount is read.
      const hold = await tx
        .updateTable('hold')
        .set({ state: 'open' })
        .where('id', '=', holdId)
        .where('state', '=', 'open')
        .returning(['account_id', 'meter_id', 'amount'])
        .executeTakeFirst();
      if (hold === undefined) throw new LedgerConflictError(`There is no open hold ${holdId}.`);
      if (hold.amount >= amountNano) return 'held';
      await tx.updateTable('hold').set({ amount: amountNano }).where('id', '=', holdId).execute();
      await this.#moveToHeld(tx, {
        id: holdId,
        accountId: hold.account_id,
        meterId: hold.meter_id,
        amountNano: amountNano - hold.amount,
        capNano,
        transferId: `${holdId}:hold:${amountNano}`,
      });
      return 'held';
    });
  }

  async settle(
    holdId: string,
    amountNano: number,
    usage: UsageRecord,
    { lease, capNano }: SettleOptions = {},
  ): Promise<SettleOutcome> {
    assertAmount(amountNano);
    return this.#db.transaction().execute(async (tx) => {
      if (lease !== undefined && !(await lockLease(tx, lease, 'charge'))) {
        await this.#endWithoutCharge(tx, holdId, 'voided');
        return this.#outcomeOf(tx, holdId);
      }
      const open = await tx
        .updateTable('hold')
        .set({ state: 'settled', settled: amountNano, resolved_at: this.#now() })
        .where('id', '=', holdId)
        .where('state', '=', 'open')
        .returning(['account_id', 'meter_id', 'amount'])
        .executeTakeFirst();
      const hold = open ?? (await this.#settleExpired(tx, { holdId, amountNano, capNano }));
      if (hold === undefined) return this.#outcomeOf(tx, holdId);
      const chargedNano = open === undefined ? hold.amount : amountNano;
      if (chargedNano > hold.amount) throw new RangeError('A hold cannot be settled for more than it holds.');
      const accountId = hold.account_id;
      const restNano = hold.amount - chargedNano;
      // The time of the usage record, so that charge and usage appear on the same statement.
      const common = { accountId, holdId, from: heldLedgerAccount(accountId), atMs: usage.atMs };
      await insertTransfers(tx, this.#now(), [
        { ...common, id: `${holdId}:settle`, kind: 'settle', to: REVENUE, amountNano: chargedNano },
        ...(restNano > 0
          ? [
              {
                ...common,
                id: `${holdId}:release`,
                kind: 'release' as const,
                to: availableLedgerAccount(accountId),
                amountNano: restNano,
              },
            ]
          : []),
      ]);
      await this.#release(tx, { ...hold, spentNano: chargedNano });
      await tx
        .insertInto('usage')
        .values(usageRow({ ...usage, costNano: chargedNano }))
        .execute();
      return { state: 'settled', chargedNano };
    });
  }

  void(holdId: string): Promise<HoldState> {
    return this.#db.transaction().execute((tx) => this.#endWithoutCharge(tx, holdId, 'voided'));
  }

  chargedNano(holdIds: readonly string[]): Promise<number> {
    return queryChargedNano(this.#db, holdIds);
  }

  async renew(holdIds: readonly string[], durationMs: number): Promise<void> {
    if (holdIds.length === 0) return;
    await this.#db
      .updateTable('hold')
      .set({ expires_at: this.#expiryTime(durationMs) })
      .where('id', 'in', holdIds)
      .where('state', '=', 'open')
      .execute();
  }

  async expire(): Promise<number> {
    const expired = await this.#db
      .selectFrom('hold')
      .select('id')
      .where('state', '=', 'open')
      .where('expires_at', '<=', this.#expiryTime(0))
      .limit(EXPIRED_BATCH)
      .execute();
    let count = 0;
    for (const { id } of expired) {
      const end = (tx: Transaction) => this.#endWithoutCharge(tx, id, 'expired');
      if ((await this.#db.transaction().execute(end)) === 'expired') count += 1;
    }
    return count;
  }

  transfers(query: TransferQuery): Promise<readonly Transfer[]> {
    return queryTransfers(this.#db, query);
  }

  ownedNano(accountId: string, beforeMs: number): Promise<number> {
    return queryOwnedNano(this.#db, accountId, beforeMs);
  }

  verify(): Promise<LedgerReport> {
    return verifyLedger(this.#db, this.#now());
  }

  /**
   * Marks an expired hold as settled and holds the amount again, as far as credit and spend cap allow: others may have used
   * them meanwhile. The request was delivered, but its server was stalled for longer than the hold lasted. Undefined if the
   * hold has not expired or nothing can be charged.
   */
  async #settleExpired(
    tx: Transaction,
    late: { readonly holdId: string; readonly amountNano: number; readonly capNano: number | undefined },
  ): Promise<{ account_id: string; meter_id: string; amount: number } | undefined> {
    const { holdId, capNano } = late;
    // The updates of this and the next two statements change nothing; they take the locks before the amounts are read.
    const hold = await tx
      .updateTable('hold')
      .set({ state: 'expired' })
      .where('id', '=', holdId)
      .where('state', '=', 'expired')
      .where('amount', '>=', late.amountNano)
      .returning(['account_id', 'meter_id'])
      .executeTakeFirst();
    if (hold === undefined) return undefined;
    const wallet = await tx
      .updateTable('wallet')
      .set({ updated_at: this.#now() })
      .where('account_id', '=', hold.account_id)
      .returning('available')
      .executeTakeFirst();
    const meter = await tx
      .updateTable('key_meter')
      .set({ held: sql<number>`held` })
      .where('id', '=', hold.meter_id)
      .returning(['held', 'spent'])
      .executeTakeFirst();
    const capLeftNano = (capNano ?? NANO_MAX) - (meter?.held ?? 0) - (meter?.spent ?? 0);
    const amountNano = Math.max(0, Math.min(late.amountNano, wallet?.available ?? 0, capLeftNano));
    if (amountNano === 0) return undefined;
    await tx
      .updateTable('hold')
      .set({ state: 'settled', settled: amountNano, amount: amountNano, resolved_at: this.#now() })
      .where('id', '=', holdId)
      .execute();
    const { account_id: accountId, meter_id: meterId } = hold;
    const transferId = `${holdId}:hold-again`;
    await this.#moveToHeld(tx, { id: holdId, accountId, meterId, amountNano, capNano, transferId });
    return { ...hold, amount: amountNano };
  }

  /** Moves an amount from available to held, within the credit and the spend cap. */
  async #moveToHeld(
    tx: Transaction,
    hold: Omit<HoldRequest, 'durationMs'> & { readonly transferId: string },
  ): Promise<void> {
    const { accountId, meterId, amountNano, capNano } = hold;
    // The condition in the update prevents two concurrent holds from using the same credit.
    const moved = await tx
      .updateTable('wallet')
      .set({
        available: sql<number>`available - ${amountNano}`,
        held: sql<number>`held + ${amountNano}`,
        updated_at: this.#now(),
      })
      .where('account_id', '=', accountId)
      .where('available', '>=', amountNano)
      .returning('account_id')
      .executeTakeFirst();
    if (moved === undefined) throw new Refusal<HoldOutcome>('no_credit');
    const metered = await tx
      .insertInto('key_meter')
      .values({ id: meterId, held: amountNano, spent: 0 })
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet({ held: sql<number>`key_meter.held + ${amountNano}` })
          .where(sql<boolean>`key_meter.held + key_meter.spent <= ${(capNano ?? NANO_MAX) - amountNano}`),
      )
      .returning('id')
      .executeTakeFirst();
    if (metered === undefined) throw new Refusal<HoldOutcome>('over_cap');
    await insertTransfers(tx, this.#now(), [
      {
        id: hold.transferId,
        kind: 'hold',
        accountId,
        from: availableLedgerAccount(accountId),
        to: heldLedgerAccount(accountId),
        amountNano,
        holdId: hold.id,
      },
    ]);
  }

  async #endWithoutCharge(tx: Transaction, holdId: string, state: 'voided' | 'expired'): Promise<HoldState> {
    let update = tx
      .updateTable('hold')
      .set({ state, resolved_at: this.#now() })
      .where('id', '=', holdId)
      .where('state', '=', 'open');
    // The hold may have been renewed since the query.
    if (state === 'expired') update = update.where('expires_at', '<=', this.#expiryTime(0));
    const hold = await update.returning(['account_id', 'meter_id', 'amount']).executeTakeFirst();
    if (hold === undefined) return this.#stateOf(tx, holdId);
    const accountId = hold.account_id;
    const kind = state === 'voided' ? 'void' : 'expire';
    await insertTransfers(tx, this.#now(), [
      {
        id: `${holdId}:${kind}`,
        kind,
        accountId,
        from: heldLedgerAccount(accountId),
        to: availableLedgerAccount(accountId),
        amountNano: hold.amount,
        holdId,
      },
    ]);
    await this.#release(tx, { ...hold, spentNano: 0 });
    return state;
  }

  /** Updates wallet and meter at the end of a hold. */
  async #release(
    tx: Transaction,
    hold: { account_id: string; meter_id: string; amount: number; spentNano: number },
  ): Promise<void> {
    const { amount, spentNano } = hold;
    await tx
      .updateTable('wallet')
      .set({
        available: sql<number>`available + ${amount - spentNano}`,
        held: sql<number>`held - ${amount}`,
        spent: sql<number>`spent + ${spentNano}`,
        updated_at: this.#now(),
      })
      .where('account_id', '=', hold.account_id)
      .execute();
    await tx
      .updateTable('key_meter')
      .set({ held: sql<number>`held - ${amount}`, spent: sql<number>`spent + ${spentNano}` })
      .where('id', '=', hold.meter_id)
      .execute();
  }

  async #stateOf(tx: Transaction, holdId: string): Promise<HoldState> {
    return (await this.#outcomeOf(tx, holdId)).state;
  }

  async #outcomeOf(tx: Transaction, holdId: string): Promise<SettleOutcome> {
    const hold = await tx
      .selectFrom('hold')
      .select(['state', 'settled'])
      .where('id', '=', holdId)
      .executeTakeFirst();
    if (hold === undefined) throw new LedgerConflictError(`There is no hold ${holdId}.`);
    return { state: hold.state, chargedNano: hold.settled ?? 0 };
  }
}

/** Id of the first transfer of a hold. */
function initialTransferId(holdId: string): string {
  return `${holdId}:hold`;
}
