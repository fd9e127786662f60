import { randomUUID } from 'node:crypto';
import { ApiError } from '../../../errors.ts';
import type { Caller } from '../caller.ts';
import type { Lease } from '../lease.ts';
import type { Ledger, Wallet } from '../ledger/ledger.ts';
import type { PriceTable } from '../ledger/prices.ts';
import type { Service, UsageRecord, UsageStore } from '../ledger/usage.ts';

/** The service to be charged. */
export interface ChargeRequest {
  readonly service: Service;
  readonly model: string;
  /** Bytes of text, seconds of audio or requests, as an integer. */
  readonly units: number;
  /** Given when the request may be repeated; otherwise random. */
  readonly id?: string;
  /** Charges of earlier attempts at the same request. Their amounts are deducted. */
  readonly earlierIds?: readonly string[];
  /** Given when another process may take over the request. Only the owner of the lease is charged. */
  readonly lease?: Lease;
}

/** A request whose price is held. It must be settled in every case. */
export interface Charge {
  /** The amount held so far. */
  readonly priceNano: number;
  /** The price of `units` in total, less the charges of earlier attempts. */
  dueNano(units: number): number;
  /** Raises the hold to the price of `units` in total. Throws like `openCharge`. */
  extend(units: number): Promise<void>;
  /** Charges the delivered units and releases the rest. Returns the amount charged. Only the first call has an effect. */
  settle(deliveredUnits: number, voice?: string): Promise<number>;
}

export interface BillingDeps {
  readonly ledger: Ledger;
  readonly usage: UsageStore;
  readonly prices: PriceTable;
  /** False: requests are free and never refused, but usage is recorded. */
  readonly isPrepaid: boolean;
  /** Lifetime of a hold without renewal. The hold of a server that has died is released after this time. */
  readonly holdMs: number;
  readonly onProblem: (error: unknown, description: string) => void;
  /** Called with the outcome of each charge. */
  readonly onSettled?: ((outcome: SettlementOutcome) => void) | undefined;
  readonly now?: () => number;
}

const NO_CREDIT =
  'Insufficient API credit. API credit is managed independently from platform credit. Please ask the operator of this server to add funds, or see your balance at /wallet/self/api-credit.';

const EXPIRED = 'The hold had expired, and the credit or the spend cap no longer suffices.';

/** Maximum number of charges that wait for the end of an outage of the database. */
const UNSETTLED_MAX = 10_000;

/**
 * How a charge ended: charged, free of charge, to be booked after an outage of the database, taken over or released
 * before it could be charged, or failed.
 */
export type SettlementOutcome = 'charged' | 'free' | 'deferred' | 'lost' | 'failed';

/** The end of a charge. */
interface Settlement {
  readonly costNano: number;
  readonly isHeld: boolean;
  readonly delivery: UsageRecord;
  readonly lease: Lease | undefined;
  /** Spend cap of the key; undefined: no cap. */
  readonly capNano: number | undefined;
}

/** Charges requests: holds the price before the work starts, and settles the delivered units. */
export class Billing {
  readonly #deps: BillingDeps;
  readonly #now: () => number;
  readonly #openHolds = new Set<string>();
  readonly #unsettled: Settlement[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: BillingDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
  }

  /**
   * Throws `insufficient_balance` for a caller without credit, unless the service is free. Returns the wallet, or
   * undefined with billing off. Called before the body is read.
   */
  async requireCredit(caller: Caller, service: Service, model: string): Promise<Wallet | undefined> {
    const { ledger, prices, isPrepaid } = this.#deps;
    if (!isPrepaid) return undefined;
    const wallet = await ledger.wallet(caller.accountId);
    if (wallet.availableNano === 0 && prices.unitPriceNano(service, model) > 0) {
      throw new ApiError('insufficient_balance', NO_CREDIT);
    }
    return wallet;
  }

  /** Holds the price of a request. Throws `insufficient_balance` or `spend_cap_reached`. */
  async openCharge(caller: Caller, request: ChargeRequest): Promise<Charge> {
    const { ledger, isPrepaid } = this.#deps;
    const paidNano = isPrepaid ? await ledger.chargedNano(request.earlierIds ?? []) : 0;
    const id = request.id ?? randomUUID();
    let units = request.units;
    let priceNano = 0;
    let isSettled = false;
    const dueNano = (count: number) =>
      isPrepaid ? Math.max(0, this.#costNano(request, count) - paidNano) : 0;
    const raiseHold = async () => {
      const amountNano = dueNano(units);
      if (amountNano <= priceNano) return;
      await this.#hold(caller, { id, amountNano, isExtension: priceNano > 0 });
      priceNano = amountNano;
    };
    await raiseHold();
    return {
      get priceNano() {
        return priceNano;
      },
      dueNano,
      extend: async (count) => {
        const earlierUnits = units;
        units = Math.max(units, count);
        try {
          await raiseHold();
        } catch (error) {
          units = earlierUnits;
          throw error;
        }
      },
      settle: async (deliveredUnits, voice = '') => {
        if (isSettled) return 0;
        isSettled = true;
        const delivered = Math.min(deliveredUnits, units);
        const usage: UsageRecord = {
          id,
          accountId: caller.accountId,
          keyId: caller.keyId,
          service: request.service,
          model: request.model,
          voice,
          units: delivered,
          costNano: 0,
          atMs: this.#now(),
        };
        const costNano = Math.min(dueNano(delivered), priceNano);
        return this.#settle({
          costNano,
          isHeld: priceNano > 0,
          delivery: usage,
          lease: request.lease,
          capNano: caller.spendCapNano,
        });
      },
    };
  }

  /** Number of charges that wait for the end of an outage of the database. */
  get deferredCount(): number {
    return this.#unsettled.length;
  }

  /** Starts the periodic sweep. */
  start(): void {
    this.#timer ??= setInterval(() => void this.sweep(), Math.max(1000, this.#deps.holdMs / 3)).unref();
  }

  /** Renews the holds of running requests, and releases expired holds of crashed servers. */
  async sweep(): Promise<void> {
    try {
      await this.settleDeferred();
      await this.#deps.ledger.renew([...this.#openHolds], this.#deps.holdMs);
      await this.#deps.ledger.expire();
    } catch (error) {
      this.#deps.onProblem(error, 'holds could not be swept');
    }
  }

  /** Settles the charges that an outage of the database has deferred. Throws while the outage lasts. */
  async settleDeferred(): Promise<void> {
    for (let next = this.#unsettled.shift(); next !== undefined; next = this.#unsettled.shift()) {
      try {
        await this.#book(next);
        this.#openHolds.delete(next.delivery.id);
      } catch (error) {
        this.#unsettled.unshift(next);
        throw error;
      }
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #costNano({ service, model }: ChargeRequest, units: number): number {
    return this.#deps.prices.costNano(service, model, units);
  }

  async #hold(
    caller: Caller,
    { id, amountNano, isExtension }: { id: string; amountNano: number; isExtension: boolean },
  ): Promise<void> {
    const { ledger, holdMs } = this.#deps;
    const { accountId, meterId, spendCapNano: capNano } = caller;
    const outcome = isExtension
      ? await ledger.extendTo(id, amountNano, capNano)
      : await ledger.hold({
          id,
          accountId,
          meterId,
          capNano,
          amountNano,
          durationMs: holdMs,
        });
    if (outcome === 'no_credit') throw new ApiError('insufficient_balance', NO_CREDIT);
    if (outcome === 'over_cap') {
      throw new ApiError('spend_cap_reached', 'This API key has reached its spend cap.');
    }
    this.#openHolds.add(id);
  }

  async #settle(settlement: Settlement): Promise<number> {
    const { id } = settlement.delivery;
    try {
      const chargedNano = await this.#book(settlement);
      this.#openHolds.delete(id);
      return chargedNano;
    } catch (error) {
      const isOutage = error instanceof ApiError && error.code === 'database_unavailable';
      if (isOutage && this.#unsettled.length < UNSETTLED_MAX) {
        // The work is delivered. The hold is renewed until the charge can be settled.
        this.#unsettled.push(settlement);
        this.#deps.onSettled?.('deferred');
        return settlement.costNano;
      }
      // The hold expires and its amount becomes available again.
      this.#openHolds.delete(id);
      this.#deps.onProblem(error, 'a charge could not be settled');
      this.#deps.onSettled?.('failed');
      return 0;
    }
  }

  /** Writes a settlement to the ledger and returns the amount charged. Repeated calls charge once. */
  async #book({ costNano, isHeld, delivery, lease, capNano }: Settlement): Promise<number> {
    const { ledger, usage, onProblem, onSettled } = this.#deps;
    if (costNano > 0) {
      const settled = await ledger.settle(delivery.id, costNano, delivery, { lease, capNano });
      const { state, chargedNano } = settled;
      onSettled?.(state === 'settled' ? 'charged' : 'lost');
      if (state === 'settled') {
        if (chargedNano < costNano) onProblem(new Error(EXPIRED), 'a request was charged in part');
        return chargedNano;
      }
      // Another process has taken over the request and charges it.
      if (state === 'voided' && lease !== undefined) return 0;
      onProblem(new Error(`The hold was ${state}.`), 'a delivered request could not be charged');
      return 0;
    }
    if (isHeld) await ledger.void(delivery.id);
    if (delivery.units > 0) await usage.record(delivery, lease);
    onSettled?.('free');
    return 0;
  }
}
