import { traced } from '../../../tracing/tracing.ts';
import type { Caller } from '../caller.ts';
import type { Ledger, Wallet } from '../ledger/ledger.ts';
import { NANO_PER_USD } from '../ledger/money.ts';
import type { UsageStore } from '../ledger/usage.ts';
import type { Admission, AdmissionTicket } from '../limits/admission.ts';
import type { Idempotency } from '../limits/idempotency.ts';
import type { RateCounter } from '../limits/rate-limiter.ts';
import type { Billing } from './billing.ts';

/** Metering, limits and billing. */
export interface Accounting {
  readonly ledger: Ledger;
  readonly usage: UsageStore;
  readonly billing: Billing;
  readonly admission: Admission;
  readonly idempotency: Idempotency;
  readonly rates: RateCounter;
  readonly limits: ConcurrencyLimits;
}

/** Concurrency limits of accounts. */
export class ConcurrencyLimits {
  /** From the highest tier to the lowest. */
  readonly #tiers: readonly { readonly fromNano: number; readonly concurrencyMax: number }[];
  readonly #unpaidMax: number;

  constructor(options: {
    /** Concurrency limit by US dollars paid in. */
    readonly tiers: Readonly<Record<string, number>>;
    /** Limit with billing off. */
    readonly unpaidMax: number;
  }) {
    this.#tiers = Object.entries(options.tiers)
      .map(([usd, concurrencyMax]) => ({ fromNano: Number(usd) * NANO_PER_USD, concurrencyMax }))
      .sort((a, b) => b.fromNano - a.fromNano);
    this.#unpaidMax = options.unpaidMax;
  }

  /** The limit of the account, else that of its tier. An undefined wallet means that billing is off. */
  limitOf(caller: Caller, wallet: Wallet | undefined): number {
    if (caller.concurrencyMax !== undefined) return caller.concurrencyMax;
    if (wallet === undefined) return this.#unpaidMax;
    const tier = this.#tiers.find(({ fromNano }) => wallet.toppedUpNano >= fromNano);
    return tier?.concurrencyMax ?? 1;
  }
}

/** Waits for admission. Returns the ticket and the response headers with the concurrency of the account. */
export async function admitCaller(
  { admission, limits }: Pick<Accounting, 'admission' | 'limits'>,
  caller: Caller,
  options: { readonly wallet: Wallet | undefined; readonly signal: AbortSignal },
): Promise<{ readonly ticket: AdmissionTicket; readonly headers: Readonly<Record<string, string>> }> {
  const concurrencyMax = limits.limitOf(caller, options.wallet);
  const request = { ...caller, concurrencyMax };
  const ticket = await traced('admission', () => admission.acquire(request, options.signal));
  return {
    ticket,
    headers: {
      'ratelimit-limit-concurrency': String(concurrencyMax),
      'ratelimit-current-concurrency': String(ticket.activeCount),
      'ratelimit-remaining-concurrency': String(Math.max(0, concurrencyMax - ticket.activeCount)),
    },
  };
}
