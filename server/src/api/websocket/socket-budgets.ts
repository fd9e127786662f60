/** The unprocessed bytes of an account, and the sockets that wait for them to decrease. */
interface AccountBytes {
  bytes: number;
  /** Bytes of messages that are not received completely. */
  partialBytes: number;
  readonly budgets: Set<SocketBudget>;
}

export interface SocketBudgetLimits {
  readonly socketMaxBytes: number;
  readonly accountMaxBytes: number;
}

/** Part of a message that is accepted even above the limits. */
const PARTIAL_BYTES_FREE = 256 * 1024;

/** Limits the received and unprocessed bytes of sockets, per socket and per account. */
export class SocketBudgets {
  readonly #limits: SocketBudgetLimits;
  readonly #accounts = new Map<string, AccountBytes>();

  constructor(limits: SocketBudgetLimits) {
    this.#limits = limits;
  }

  /** Opens the budget of a socket. Call `close` when the socket closes. */
  open(accountId: string): SocketBudget {
    const account = this.#accounts.get(accountId) ?? { bytes: 0, partialBytes: 0, budgets: new Set() };
    this.#accounts.set(accountId, account);
    return new SocketBudget(account, this.#limits, () => {
      if (account.budgets.size === 0) this.#accounts.delete(accountId);
    });
  }
}

/** The unprocessed bytes of one socket. */
export class SocketBudget {
  readonly #account: AccountBytes;
  readonly #limits: SocketBudgetLimits;
  readonly #onClose: () => void;
  #bytes = 0;
  #partialBytes = 0;
  #isClosed = false;
  /** Called when bytes of the account are released. */
  onRelease: () => void = () => {};

  constructor(account: AccountBytes, limits: SocketBudgetLimits, onClose: () => void) {
    this.#account = account;
    this.#limits = limits;
    this.#onClose = onClose;
    account.budgets.add(this);
  }

  /**
   * Whether this socket must stop reading. A socket without unprocessed bytes may always read, so that the sockets
   * of an account cannot block each other.
   */
  get isExceeded(): boolean {
    const { socketMaxBytes, accountMaxBytes } = this.#limits;
    return this.#bytes > socketMaxBytes || (this.#bytes > 0 && this.#account.bytes > accountMaxBytes);
  }

  /** Adds received bytes, even above the limits. */
  add(bytes: number): void {
    if (this.#isClosed) return;
    this.#bytes += bytes;
    this.#account.bytes += bytes;
  }

  /** Adds received bytes. False, without an effect, when they exceed a limit. */
  tryAdd(bytes: number): boolean {
    const { socketMaxBytes, accountMaxBytes } = this.#limits;
    const isTooMuch = this.#bytes + bytes > socketMaxBytes || this.#account.bytes + bytes > accountMaxBytes;
    if (isTooMuch) return false;
    this.add(bytes);
    return true;
  }

  /**
   * Sets the bytes of a message that is not received completely. False when those of the account exceed its limit,
   * which applies to them and to complete messages separately. A small part is always accepted, and any part when the
   * account has no other, so that a large message can complete.
   */
  setPartialBytes(bytes: number): boolean {
    if (this.#isClosed) return true;
    this.#account.partialBytes += bytes - this.#partialBytes;
    this.#partialBytes = bytes;
    const { partialBytes } = this.#account;
    const isWithinLimit = partialBytes <= this.#limits.accountMaxBytes;
    return isWithinLimit || bytes <= PARTIAL_BYTES_FREE || partialBytes === bytes;
  }

  /** Removes processed bytes. */
  release(bytes: number): void {
    if (this.#isClosed) return;
    this.#bytes -= bytes;
    this.#account.bytes -= bytes;
    for (const budget of this.#account.budgets) budget.onRelease();
  }

  /** Releases all bytes. Later calls have no effect. */
  close(): void {
    this.setPartialBytes(0);
    this.release(this.#bytes);
    this.#isClosed = true;
    this.#account.budgets.delete(this);
    this.#onClose();
  }
}
