import type { UsageRecord } from './usage.ts';

/** What an account owns, in nano-dollars. All of it follows from the transfers. */
export interface Wallet {
  /** Free to be spent. Never negative. */
  readonly availableNano: number;
  /** Set aside for work that is under way. */
  readonly heldNano: number;
  readonly spentNano: number;
  /** All that was ever paid in; it decides the tier of the account. */
  readonly toppedUpNano: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** Money that is put into an account or taken out of it by the operator. */
export interface Booking {
  /** Chosen by whoever asks. The same id twice is one booking. */
  readonly id: string;
  readonly accountId: string;
  readonly amountNano: number;
  /** Why, for the statement. */
  readonly memo: string;
}

/** `known`: it was booked before. `not_possible`: the account has too little, or would have too much. */
export type BookingOutcome = 'booked' | 'known' | 'not_possible';

export interface HoldRequest {
  readonly id: string;
  readonly accountId: string;
  /** Whose spending it counts as; a key that was rotated keeps its meter. */
  readonly meterId: string;
  /** What the meter may spend in all; undefined: no cap. */
  readonly capNano: number | undefined;
  readonly amountNano: number;
  readonly expiresAtMs: number;
}

/** Why a hold was refused, or that it stands. */
export type HoldOutcome = 'held' | 'no_credit' | 'over_cap';

/** How a hold ended. Each ends once. */
export type HoldState = 'open' | 'settled' | 'voided' | 'expired';

/** A line of an account's statement. */
export interface Transfer {
  readonly id: string;
  readonly kind: TransferKind;
  readonly accountId: string;
  /** The book it leaves and the book it enters. */
  readonly fromBook: string;
  readonly toBook: string;
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

/** What `verify` found. The books are in order when there are no problems. */
export interface LedgerReport {
  readonly accounts: number;
  readonly transfers: number;
  readonly openHolds: number;
  readonly chargedNano: bigint;
  readonly problems: readonly string[];
}

/**
 * Double-entry books that are only ever added to. Every method may be repeated with the same id: the second
 * time changes nothing. An id that comes again with another content throws `LedgerConflictError`.
 */
export interface Ledger {
  /** All zero for an account without one. */
  wallet(accountId: string): Promise<Wallet>;
  topUp(booking: Booking): Promise<BookingOutcome>;
  /** Corrects a balance in either direction, but not below zero. */
  adjust(booking: Booking): Promise<BookingOutcome>;
  /** Gives money that was spent back. */
  refund(booking: Booking): Promise<BookingOutcome>;
  /** Sets money aside. Of many at once, exactly those pass that the credit covers. */
  hold(request: HoldRequest): Promise<HoldOutcome>;
  /** Raises an open hold to an amount, when it is lower: for work whose size shows as it goes on. */
  extendTo(holdId: string, amountNano: number, capNano: number | undefined): Promise<HoldOutcome>;
  /**
   * Ends a hold: takes what was delivered, gives back the rest, and records the delivery, all or nothing.
   * Answers how the hold had ended already when it is no longer open; then nothing is taken.
   */
  settle(holdId: string, amountNano: number, delivery: UsageRecord): Promise<HoldState>;
  /** Ends a hold and gives all of it back. */
  void(holdId: string): Promise<HoldState>;
  /** What was charged under these holds so far. Holds that are not there count as nothing. */
  chargedNano(holdIds: readonly string[]): Promise<number>;
  /** Keeps the holds of work that is still going on. */
  renew(holdIds: readonly string[], expiresAtMs: number): Promise<void>;
  /** Ends holds that ran out, and gives their money back. Returns how many. */
  expire(nowMs: number): Promise<number>;
  /** An account's transfers of these kinds from `fromMs` until before `toMs`, oldest first. */
  transfers(query: TransferQuery): Promise<readonly Transfer[]>;
  /** What an account owned, available and held, just before a time. */
  ownedNano(accountId: string, beforeMs: number): Promise<number>;
  /** Recomputes every balance from the transfers and compares. */
  verify(): Promise<LedgerReport>;
}

/** An id was used before, for something else. */
export class LedgerConflictError extends Error {
  override readonly name = 'LedgerConflictError';
}
