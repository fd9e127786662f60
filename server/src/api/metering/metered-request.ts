import { formatUsd } from '../../domain/accounts/ledger/money.ts';
import type { Attempt, StoredResponse } from '../../domain/accounts/limits/idempotency.ts';
import { type Accounting, admitCaller } from '../../domain/accounts/metering/accounting.ts';
import {
  type CombinedCharge,
  type CombinedChargeRequest,
  openCharges,
} from '../../domain/accounts/metering/open-charges.ts';
import { beginIdempotent, type Exchange, sendReplay, workSignal } from './idempotent-request.ts';

/** The header with the amount held for a request, in US dollars. */
export const COST_HEADER = 'x-mynah-cost';

/** What a request is charged for. */
export interface MeteredRequest
  extends Pick<CombinedChargeRequest, 'service' | 'model' | 'units' | 'additional'> {
  /** Everything that makes two requests equal, such as the validated body. The model is added to it. */
  readonly content: readonly unknown[];
}

/** The response to a metered request. Units that are not reported in `deliveredUnits` are not charged. */
export class MeteredResponse {
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** Units that the client received. */
  deliveredUnits = 0;
  /** The voice of the usage record. */
  voice = '';
  /** Sent again when the request is repeated with its idempotency key. */
  stored: StoredResponse | undefined;
  readonly #begin: () => void;
  readonly #charge: CombinedCharge;
  readonly #storedBytesMax: number;
  readonly #attempt: Attempt | undefined;
  #recorded: Uint8Array[] | undefined;
  #settled: Promise<number> | undefined;

  constructor(options: {
    signal: AbortSignal;
    charge: CombinedCharge;
    begin: () => void;
    storedBytesMax: number;
    attempt: Attempt | undefined;
  }) {
    this.#attempt = options.attempt;
    this.signal = options.signal;
    this.#begin = options.begin;
    this.#charge = options.charge;
    this.#storedBytesMax = options.storedBytesMax;
    this.#recorded = options.storedBytesMax > 0 ? [] : undefined;
  }

  /** Reports the first output: admission may start the next request. */
  begin(): void {
    this.#begin();
  }

  /** Extends the hold to `units` in total. Throws `insufficient_balance` or `spend_cap_reached`. */
  async extendHold(units: number): Promise<void> {
    await this.#charge.extend(units);
  }

  /** Extends the hold of the first additional service to `units` in total. Throws like `extendHold`. */
  async extendAdditionalHold(units: number): Promise<void> {
    await this.#charge.extendAdditional(units);
  }

  /** Sets the units of the first additional service that the client received. */
  set deliveredAdditionalUnits(units: number) {
    this.#charge.deliverAdditional(units);
  }

  /**
   * Charges the delivered units once, and returns the amount. Called before the end of a response, it lets the next request
   * of the client find the charge in place of the hold.
   */
  settle(): Promise<number> {
    this.#settled ??= this.#charge.settle(this.deliveredUnits, this.voice);
    return this.#settled;
  }

  /** The amount held so far, in US dollars. */
  get price(): string {
    return formatUsd(this.#charge.priceNano);
  }

  /** The price of `units` in total, in US dollars, less the charges of earlier attempts. */
  priceOf(units: number): string {
    return formatUsd(this.#charge.dueNano(units));
  }

  /** Passes the body through, and copies it if the response is to be stored and is small enough. */
  record(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    return this.#attempt === undefined ? body : this.#copy(body, this.#attempt);
  }

  async *#copy(body: AsyncIterable<Uint8Array>, attempt: Attempt): AsyncGenerator<Uint8Array> {
    let sizeBytes = 0;
    for await (const chunk of body) {
      await attempt.ensureHeld();
      sizeBytes += chunk.length;
      if (sizeBytes > this.#storedBytesMax) this.#recorded = undefined;
      this.#recorded?.push(chunk.slice());
      yield chunk;
    }
  }

  /** Stores the recorded body with these headers. Call it when the client has received all of it. */
  store(headers: Readonly<Record<string, string>>): void {
    this.stored = { status: 200, headers, body: this.#recorded && Buffer.concat(this.#recorded) };
  }
}

/**
 * Runs metered work: replays a repeated request, waits for admission, holds the price, and settles the delivered
 * units whatever the outcome. Resolves with undefined for a replay.
 */
export async function meterRequest<Result>(
  accounting: Accounting,
  { request, reply }: Exchange,
  metered: MeteredRequest,
  work: (response: MeteredResponse) => Promise<Result>,
): Promise<Result | undefined> {
  const content = [metered.model, ...metered.content];
  const attempt = await beginIdempotent(accounting.idempotency, request, content);
  if (attempt?.kind === 'replay') {
    await sendReplay(reply, attempt);
    return undefined;
  }
  let outcome: { chargedNano: number; response: StoredResponse | undefined } = {
    chargedNano: 0,
    response: undefined,
  };
  try {
    const { caller, wallet } = request;
    const signal = workSignal(reply, attempt);
    const { ticket, headers } = await admitCaller(accounting, caller, { wallet, signal });
    try {
      const charge = await openCharges(accounting.billing, caller, {
        ...metered,
        ...(attempt && {
          id: attempt.chargeId,
          earlierIds: attempt.earlierChargeIds,
          lease: attempt.lease,
        }),
      });
      const response = new MeteredResponse({
        signal,
        charge,
        begin: ticket.markStarted,
        storedBytesMax: attempt === undefined ? 0 : accounting.idempotency.bodyBytesMax,
        attempt,
      });
      try {
        reply.headers({ [COST_HEADER]: response.price, ...headers });
        return await work(response);
      } finally {
        outcome = await settle(response);
      }
    } finally {
      ticket.release();
    }
  } finally {
    await attempt?.finish(outcome);
  }
}

async function settle(response: MeteredResponse) {
  const chargedNano = await response.settle();
  const { stored } = response;
  return {
    chargedNano,
    response: stored && {
      ...stored,
      headers: { ...stored.headers, [COST_HEADER]: formatUsd(chargedNano) },
    },
  };
}
