import type { Caller } from '../caller.ts';
import type { Ledger, Wallet } from '../ledger/ledger.ts';
import { NANO_PER_USD } from '../ledger/money.ts';
import type { UsageStore } from '../ledger/usage.ts';
import type { Admission, AdmissionTicket } from '../limits/admission.ts';
import type { Idempotency } from '../limits/idempotency.ts';
import type { RateLimiter } from '../limits/rate-limiter.ts';
import type { Billing } from './billing.ts';

/** Everything that counts, limits and charges. */
export interface Accounting {
  readonly ledger: Ledger;
  readonly usage: UsageStore;
  readonly till: Billing;
  readonly admission: Admission;
  readonly idempotency: Idempotency;
  readonly rates: RateLimiter;
  readonly limits: ConcurrencyLimits;
}

/** How many requests an account may have in work at once. */
export class ConcurrencyLimits {
  /** From the highest tier to the lowest. */
  readonly #tiers: readonly { readonly fromNano: number; readonly concurrencyMax: number }[];
  readonly #unpaidMax: number;

  constructor(options: {
    /** From US dollars paid in to requests at once. */
    readonly tiers: Readonly<Record<string, number>>;
    /** Where no money is taken. */
    readonly unpaidMax: number;
  }) {
    this.#tiers = Object.entries(options.tiers)
      .map(([usd, concurrencyMax]) => ({ fromNano: Number(usd) * NANO_PER_USD, concurrencyMax }))
      .sort((a, b) => b.fromNano - a.fromNano);
    this.#unpaidMax = options.unpaidMax;
  }

  /** The account's own limit, else that of its tier. Without a wallet no money is taken. */
  of(caller: Caller, wallet: Wallet | undefined): number {
    if (caller.concurrencyMax !== undefined) return caller.concurrencyMax;
    if (wallet === undefined) return this.#unpaidMax;
    const tier = this.#tiers.find(({ fromNano }) => wallet.toppedUpNano >= fromNano);
    return tier?.concurrencyMax ?? 1;
  }
}

/** Waits for the caller's turn, and says how its account stands. */
export async function enter(
  { admission, limits }: Pick<Accounting, 'admission' | 'limits'>,
  caller: Caller,
  options: { readonly wallet: Wallet | undefined; readonly signal: AbortSignal },
): Promise<{ readonly ticket: AdmissionTicket; readonly headers: Readonly<Record<string, string>> }> {
  const concurrencyMax = limits.of(caller, options.wallet);
  const ticket = await admission.enter({ ...caller, concurrencyMax }, options.signal);
  return {
    ticket,
    headers: {
      'ratelimit-limit-concurrency': String(concurrencyMax),
      'ratelimit-current-concurrency': String(ticket.current),
      'ratelimit-remaining-concurrency': String(Math.max(0, concurrencyMax - ticket.current)),
    },
  };
}
