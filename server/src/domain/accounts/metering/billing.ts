import { randomUUID } from 'node:crypto';
import { ApiError } from '../../../errors.ts';
import type { Caller } from '../caller.ts';
import type { Ledger, Wallet } from '../ledger/ledger.ts';
import type { PriceTable } from '../ledger/prices.ts';
import type { Service, UsageRecord, UsageStore } from '../ledger/usage.ts';

/** What is about to be sold. */
export interface ChargeRequest {
  readonly service: Service;
  readonly model: string;
  /** Bytes of text, seconds of audio or requests, whole. */
  readonly units: number;
  /** Chosen by the caller when the order may come again. */
  readonly id?: string;
  /** Earlier tries at the same order: what they paid is not paid again. */
  readonly earlierIds?: readonly string[];
}

/** Work that was paid for in advance. It must be settled, whatever becomes of it. */
export interface Charge {
  /** What is held for it by now. */
  readonly priceNano: number;
  /** Holds the price of so many units in all, for work that turns out to be larger. Refuses as `open` does. */
  extend(units: number): Promise<void>;
  /**
   * Charges what was delivered and gives the rest back; nothing delivered costs nothing. Returns what was
   * charged. Only the first call counts.
   */
  settle(deliveredUnits: number, voice?: string): Promise<number>;
}

export interface TillDeps {
  readonly ledger: Ledger;
  readonly usage: UsageStore;
  readonly prices: PriceTable;
  /** False: nothing costs anything and nobody is refused, but usage is recorded. */
  readonly isPrepaid: boolean;
  /** A hold that nobody renews for so long is given back: the server that took it has died. */
  readonly holdMs: number;
  readonly onProblem: (error: unknown, what: string) => void;
  readonly now?: () => number;
}

const NO_CREDIT =
  'Insufficient API credit. API credit is managed independently from platform credit. Please ask the operator of this server to add funds, or see your balance at /wallet/self/api-credit.';

/** Takes money for work: holds the price before it starts, and settles what was delivered. */
export class Billing {
  readonly #deps: TillDeps;
  readonly #now: () => number;
  readonly #openHolds = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: TillDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
  }

  /**
   * The caller's wallet, on servers that take money. Refuses a caller without any credit, before a word of the
   * request is read; what is free is never refused.
   */
  async openWallet(caller: Caller, service: Service, model: string): Promise<Wallet | undefined> {
    const { ledger, prices, isPrepaid } = this.#deps;
    if (!isPrepaid) return undefined;
    const wallet = await ledger.wallet(caller.accountId);
    if (wallet.availableNano === 0 && prices.unitPriceNano(service, model) > 0) {
      throw new ApiError('insufficient_balance', NO_CREDIT);
    }
    return wallet;
  }

  /** Holds the price of an order. */
  async open(caller: Caller, order: ChargeRequest): Promise<Charge> {
    const { ledger, isPrepaid } = this.#deps;
    const paidNano = isPrepaid ? await ledger.chargedNano(order.earlierIds ?? []) : 0;
    const id = order.id ?? randomUUID();
    let units = order.units;
    let priceNano = 0;
    let isSettled = false;
    const dueNano = (count: number) => (isPrepaid ? Math.max(0, this.#costNano(order, count) - paidNano) : 0);
    const raise = async () => {
      const wantedNano = dueNano(units);
      if (wantedNano <= priceNano) return;
      await this.#hold(caller, { id, amountNano: wantedNano, isExtension: priceNano > 0 });
      priceNano = wantedNano;
    };
    await raise();
    return {
      get priceNano() {
        return priceNano;
      },
      extend: async (count) => {
        units = Math.max(units, count);
        await raise();
      },
      settle: async (deliveredUnits, voice = '') => {
        if (isSettled) return 0;
        isSettled = true;
        const delivered = Math.min(deliveredUnits, units);
        return this.#settle(Math.min(dueNano(delivered), priceNano), priceNano > 0, {
          id,
          accountId: caller.accountId,
          keyId: caller.keyId,
          service: order.service,
          model: order.model,
          voice,
          units: delivered,
          costNano: 0,
          atMs: this.#now(),
        });
      },
    };
  }

  /** Begins to renew the holds of running work, and to give back those that a crash left open. */
  start(): void {
    this.#timer ??= setInterval(() => void this.sweep(), Math.max(1000, this.#deps.holdMs / 3)).unref();
  }

  /** Renews and gives back, once. */
  async sweep(): Promise<void> {
    try {
      const nowMs = this.#now();
      await this.#deps.ledger.renew([...this.#openHolds], nowMs + this.#deps.holdMs);
      await this.#deps.ledger.expire(nowMs);
    } catch (error) {
      this.#deps.onProblem(error, 'holds could not be swept');
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
          expiresAtMs: this.#now() + holdMs,
        });
    if (outcome === 'no_credit') throw new ApiError('insufficient_balance', NO_CREDIT);
    if (outcome === 'over_cap') {
      throw new ApiError('spend_cap_reached', 'This API key has reached its spend cap.');
    }
    this.#openHolds.add(id);
  }

  async #settle(costNano: number, isHeld: boolean, delivery: UsageRecord): Promise<number> {
    const { ledger, usage, onProblem } = this.#deps;
    try {
      if (costNano > 0) {
        const state = await ledger.settle(delivery.id, costNano, delivery);
        if (state === 'settled') return costNano;
        onProblem(new Error(`The hold was ${state}.`), 'a delivery could not be charged');
        return 0;
      }
      if (isHeld) await ledger.void(delivery.id);
      if (delivery.units > 0) await usage.record(delivery);
      return 0;
    } catch (error) {
      // The work is done; its hold runs out and the money goes back to whom it belongs.
      onProblem(error, 'a sale could not be settled');
      return 0;
    } finally {
      this.#openHolds.delete(delivery.id);
    }
  }
}
