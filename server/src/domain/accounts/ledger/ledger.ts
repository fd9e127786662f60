import type { Lease } from '../lease.ts';
import type { UsageRecord } from './usage.ts';

/** The balances of an account in nano-dollars, derived from the transfers. */
export interface Wallet {
  /** Available for new holds. Never negative. */
  readonly availableNano: number;
  /** Held for running requests. */
  readonly heldNano: number;
  readonly spentNano: number;
  /** Sum of all top-ups. Determines the tier of the account. */
  readonly toppedUpNano: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** A top-up, adjustment or refund by the operator. */
export interface Booking {
  /** Idempotency id: a second booking with the same id has no effect. */
  readonly id: string;
  readonly accountId: string;
  readonly amountNano: number;
  /** Reason, shown on the statement. */
  readonly memo: string;
}

/** `known`: booked before. `not_possible`: the balance would be negative or above the limit. */
export type BookingOutcome = 'booked' | 'known' | 'not_possible';

export interface HoldRequest {
  readonly id: string;
  readonly accountId: string;
  /** The meter whose spending it counts towards. A rotated key keeps its meter. */
  readonly meterId: string;
  /** Spend cap of the meter; undefined: no cap. */
  readonly capNano: number | undefined;
  readonly amountNano: number;
  /** Time until the hold expires, unless it is renewed. */
  readonly durationMs: number;
}

/** Success, or the reason of a refusal. */
export type HoldOutcome = 'held' | 'no_credit' | 'over_cap';

/** State of a hold. A hold leaves `open` once; only an expired one may be settled later. */
export type HoldState = 'open' | 'settled' | 'voided' | 'expired';

export interface SettleOptions {
  /** Given when another process may take over the request. */
  readonly lease?: Lease | undefined;
  /** Spend cap of the meter, for a hold that has expired; undefined: no cap. */
  readonly capNano?: number | undefined;
}

/** The state of a hold after its settlement, and what it has charged in total. */
export interface SettleOutcome {
  readonly state: HoldState;
  readonly chargedNano: number;
}

/** A ledger entry. */
export interface Transfer {
  readonly id: string;
  readonly kind: TransferKind;
  readonly accountId: string;
  /** The ledger accounts that are debited and credited. */
  readonly fromLedgerAccount: string;
  readonly toLedgerAccount: string;
  readonly amountNano: number;
  readonly holdId: string | undefined;
  readonly memo: string;
  readonly atMs: number;
}

export const TRANSFER_KINDS = [
  'top_up',
  'adjustment',
  'refund',
  'hold',
  'settle',
  'release',
  'void',
  'expire',
] as const;
export type TransferKind = (typeof TRANSFER_KINDS)[number];

export interface TransferQuery {
  readonly accountId: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly kinds: readonly TransferKind[];
}

/** The result of `verify`. The ledger is consistent when `problems` is empty. */
export interface LedgerReport {
  readonly accounts: number;
  readonly transfers: number;
  readonly openHolds: number;
  readonly chargedNano: bigint;
  readonly problems: readonly string[];
}

/**
 * An append-only double-entry ledger. Every method is idempotent by id. Reusing an id with other content throws
 * `LedgerConflictError`.
 */
export interface Ledger {
  /** All zero for an account without transfers. */
  wallet(accountId: string): Promise<Wallet>;
  topUp(booking: Booking): Promise<BookingOutcome>;
  /** Corrects the balance by a positive or negative amount, not below zero. */
  adjust(booking: Booking): Promise<BookingOutcome>;
  /** Returns spent money to the account. */
  refund(booking: Booking): Promise<BookingOutcome>;
  /**
   * Places a hold. Concurrent holds never exceed the available credit. A hold that has ended without a charge cannot be
   * placed again: a retried request needs another id.
   */
  hold(request: HoldRequest): Promise<HoldOutcome>;
  /** Raises an open hold to `amountNano` if it is lower. For requests whose size is not known in advance. */
  extendTo(holdId: string, amountNano: number, capNano: number | undefined): Promise<HoldOutcome>;
  /**
   * Settles a hold: charges `amountNano`, releases the rest and stores the usage record, in one transaction. An expired
   * hold is charged as far as the available credit and the spend cap allow. For a hold that has otherwise ended, returns
   * its state and charges nothing. With a lease that is no longer held, ends the hold and charges nothing.
   */
  settle(
    holdId: string,
    amountNano: number,
    usage: UsageRecord,
    options?: SettleOptions,
  ): Promise<SettleOutcome>;
  /** Ends a hold and releases its full amount. */
  void(holdId: string): Promise<HoldState>;
  /** Sum of the amounts settled under these holds. Unknown holds count as 0. */
  chargedNano(holdIds: readonly string[]): Promise<number>;
  /** Lets open holds expire after `durationMs` from now. */
  renew(holdIds: readonly string[], durationMs: number): Promise<void>;
  /** Ends expired holds and releases their amounts. Returns their number. The clock of the database decides. */
  expire(): Promise<number>;
  /** The transfers of an account, of these kinds, with `fromMs <= time < toMs`, oldest first. */
  transfers(query: TransferQuery): Promise<readonly Transfer[]>;
  /** Balance of an account, available and held, from the transfers before `beforeMs`. */
  ownedNano(accountId: string, beforeMs: number): Promise<number>;
  /** Recomputes every balance from the transfers and compares it with the stored one. */
  verify(): Promise<LedgerReport>;
}

/** The id was used before with other content. */
export class LedgerConflictError extends Error {
  override readonly name = 'LedgerConflictError';
}
