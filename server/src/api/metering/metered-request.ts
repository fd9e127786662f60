import { formatUsd } from '../../domain/accounts/ledger/money.ts';
import type { StoredResponse } from '../../domain/accounts/limits/idempotency.ts';
import { type Accounting, enter } from '../../domain/accounts/metering/accounting.ts';
import type { Charge, ChargeRequest } from '../../domain/accounts/metering/billing.ts';
import { disconnectSignal } from '../responses/byte-stream.ts';
import { beginIdempotent, type Exchange, replay } from './idempotent-request.ts';

/** The header with the price that is held for a request, in US dollars. */
export const COST_HEADER = 'x-mynah-cost';

/** What a request buys. */
export interface MeteredRequest extends Pick<ChargeRequest, 'service' | 'model' | 'units'> {
  /** All that makes two requests the same: the checked body, the model and the like. */
  readonly content: readonly unknown[];
}

/** Work that is paid for. What is not reported as delivered costs nothing. */
export class MeteredResponse {
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
  /** Units that reached the client. */
  deliveredUnits = 0;
  voice = '';
  /** The answer to be sent again when the request is repeated with its idempotency key. */
  answer: StoredResponse | undefined;
  readonly #begin: () => void;
  readonly #sale: Charge;
  readonly #keepBytesMax: number;
  #kept: Uint8Array[] | undefined;

  constructor(options: { signal: AbortSignal; sale: Charge; begin: () => void; keepBytesMax: number }) {
    this.signal = options.signal;
    this.#begin = options.begin;
    this.#sale = options.sale;
    this.#keepBytesMax = options.keepBytesMax;
    this.#kept = options.keepBytesMax > 0 ? [] : undefined;
  }

  /** Says that the first result is there: the next request may start. */
  begin(): void {
    this.#begin();
  }

  /** Holds the price of so many units in all, for work whose size shows as it goes on. Refuses with 402. */
  async require(units: number): Promise<void> {
    await this.#sale.extend(units);
  }

  /** What is held by now, in US dollars. */
  get price(): string {
    return formatUsd(this.#sale.priceNano);
  }

  /** Passes a body on and keeps a copy, when it is to be kept and small enough. */
  record(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    return this.#kept === undefined ? body : this.#copy(body);
  }

  async *#copy(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let sizeBytes = 0;
    for await (const chunk of body) {
      sizeBytes += chunk.length;
      if (sizeBytes > this.#keepBytesMax) this.#kept = undefined;
      this.#kept?.push(chunk.slice());
      yield chunk;
    }
  }

  /** The whole answer went out with these headers and what was recorded. */
  keep(headers: Readonly<Record<string, string>>): void {
    this.answer = { status: 200, headers, body: this.#kept && Buffer.concat(this.#kept) };
  }
}

/**
 * Does paid work for a request: answers a repeated one from memory, waits for its turn, holds its price, and
 * however it ends charges what was delivered. Routes put their work into `work` and report to the delivery.
 */
export async function meterRequest<Result>(
  accounting: Accounting,
  { request, reply }: Exchange,
  order: MeteredRequest,
  work: (delivery: MeteredResponse) => Promise<Result>,
): Promise<Result | undefined> {
  const attempt = await beginIdempotent(accounting.idempotency, request, [order.model, ...order.content]);
  if (attempt !== undefined && 'status' in attempt) {
    await replay(reply, attempt);
    return undefined;
  }
  let outcome: { chargedNano: number; answer: StoredResponse | undefined } = {
    chargedNano: 0,
    answer: undefined,
  };
  try {
    const caller = request.caller;
    const signal = disconnectSignal(reply.raw);
    const { ticket, headers } = await enter(accounting, caller, { wallet: request.wallet, signal });
    try {
      const sale = await accounting.till.open(caller, {
        ...order,
        ...(attempt && { id: attempt.saleId, earlierIds: attempt.earlierSaleIds }),
      });
      const delivery = new MeteredResponse({
        signal,
        sale,
        begin: ticket.begin,
        keepBytesMax: attempt === undefined ? 0 : accounting.idempotency.bodyBytesMax,
      });
      try {
        reply.headers({ [COST_HEADER]: delivery.price, ...headers });
        return await work(delivery);
      } finally {
        outcome = await settle(sale, delivery);
      }
    } finally {
      ticket.leave();
    }
  } finally {
    await attempt?.finish(outcome);
  }
}

async function settle(sale: Charge, delivery: MeteredResponse) {
  const chargedNano = await sale.settle(delivery.deliveredUnits, delivery.voice);
  const { answer } = delivery;
  return {
    chargedNano,
    answer: answer && {
      ...answer,
      headers: { ...answer.headers, [COST_HEADER]: formatUsd(sale.priceNano) },
    },
  };
}
