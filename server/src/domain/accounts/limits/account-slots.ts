/** What an account has a limited number of: running requests, open sockets, or uploads. */
export type SlotKind = 'request' | 'socket' | 'upload';

/** The owner of the slots that limit the sockets of all accounts together. No account has this id. */
export const ALL_ACCOUNTS = '*';

/** One of the slots of an account. It must be released. */
export interface AccountSlot {
  /** Slots of the account in use when it was taken, including this one. */
  readonly activeCount: number;
  /** What the slot uses beside its number, such as bytes of an upload. Other servers learn it with `shareAmounts`. */
  amount: number;
  /** Resolves when the slot is free again. Never rejects: a slot that cannot be released expires. */
  release(): Promise<void>;
}

/**
 * The slots of accounts on all servers together. A slot is a lease: the server renews it while it holds it, and the
 * slots of a server that has died expire.
 */
export interface AccountSlots {
  /** Takes one of `max` slots. Undefined when all are taken. */
  take(kind: SlotKind, accountId: string, max: number): Promise<AccountSlot | undefined>;
  /** Tells other servers the amounts of the slots of this one. Returns what accounts use at the others. */
  shareAmounts(
    kind: SlotKind,
    accountIds: readonly string[],
  ): Promise<ReadonlyMap<string, { readonly count: number; readonly amount: number }>>;
}
