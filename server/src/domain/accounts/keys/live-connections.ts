import { ApiError } from '../../../errors.ts';
import type { Caller } from '../caller.ts';

/** Reason why the server closes a live connection. */
export type CloseReason = 'key_revoked' | 'key_expired';

export interface LiveConnectionsOptions {
  /** The keys among `keyIds` that are revoked or expired. */
  readonly findInvalid: (keyIds: readonly string[]) => Promise<ReadonlyMap<string, CloseReason>>;
  /** Maximum number of open connections per account. */
  readonly perAccountMax: number;
  /** Interval of the check for keys that another process has revoked. */
  readonly checkMs?: number;
}

/**
 * The open live connections. A connection is closed when its key becomes invalid: at once when the key was revoked
 * through this server, within `checkMs` otherwise.
 */
export class LiveConnections {
  readonly #options: LiveConnectionsOptions;
  readonly #connections = new Set<{
    readonly caller: Pick<Caller, 'accountId' | 'keyId'>;
    readonly close: (reason: CloseReason) => void;
  }>();
  readonly #timer: NodeJS.Timeout;
  #isChecking = false;

  constructor(options: LiveConnectionsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#check(), options.checkMs ?? 1000).unref();
  }

  /** Throws `too_many_connections` when the account is at its limit. */
  assertCapacity(accountId: string): void {
    if (this.countOf(accountId) >= this.#options.perAccountMax) {
      throw new ApiError(
        'too_many_connections',
        `This account has ${this.#options.perAccountMax} open connections, which is the limit.`,
        { retryAfterSeconds: 5 },
      );
    }
  }

  /** Registers a connection; call `assertCapacity` first. Returns the function that unregisters it. `close` is called at most once. */
  add(caller: Pick<Caller, 'accountId' | 'keyId'>, close: (reason: CloseReason) => void): () => void {
    const connection = { caller, close };
    this.#connections.add(connection);
    return () => void this.#connections.delete(connection);
  }

  countOf(accountId: string): number {
    return [...this.#connections].filter(({ caller }) => caller.accountId === accountId).length;
  }

  /** Closes every connection of a key. */
  closeKey(keyId: string, reason: CloseReason): void {
    for (const connection of [...this.#connections]) {
      if (connection.caller.keyId !== keyId) continue;
      this.#connections.delete(connection);
      connection.close(reason);
    }
  }

  /** Stops the periodic check. Closes no connection. */
  stop(): void {
    clearInterval(this.#timer);
  }

  async #check(): Promise<void> {
    if (this.#isChecking || this.#connections.size === 0) return;
    this.#isChecking = true;
    try {
      const keyIds = new Set([...this.#connections].map(({ caller }) => caller.keyId));
      for (const [keyId, reason] of await this.#options.findInvalid([...keyIds]))
        this.closeKey(keyId, reason);
    } catch {
      // A temporary failure of the database; the next check repeats the query.
    } finally {
      this.#isChecking = false;
    }
  }
}
