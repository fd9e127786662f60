/** What an account has a limited number of: running requests, or open sockets. */
export type SlotKind = 'request' | 'socket';

/** One of the slots of an account. It must be released. */
export interface AccountSlot {
  /** Slots of the account in use when it was taken, including this one. */
  readonly activeCount: number;
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
}
