import { ApiError } from '../../../errors.ts';
import type { Caller } from '../caller.ts';

/** Why a live connection is closed from our side. */
export type CloseReason = 'key_revoked' | 'key_expired';

export interface LiveConnectionsOptions {
  /** Of these keys, those that were revoked or have expired. */
  readonly findInvalid: (keyIds: readonly string[]) => Promise<ReadonlyMap<string, CloseReason>>;
  /** Connections one account may have open. */
  readonly perAccountMax: number;
  /** How often keys are looked at that another process may have revoked. */
  readonly checkMs?: number;
}

/**
 * Connections that outlive a request. Each is closed when its key is no longer valid: at once when it was
 * revoked through this server, within `checkMs` when it was revoked elsewhere.
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

  /** Throws `too_many_connections` when the account has as many open as it may have. */
  assertRoom(accountId: string): void {
    if (this.countOf(accountId) >= this.#options.perAccountMax) {
      throw new ApiError(
        'too_many_connections',
        `This account has ${this.#options.perAccountMax} connections open, which is the limit.`,
        { retryAfterSeconds: 5 },
      );
    }
  }

  /**
   * Registers a connection and returns what takes it off the list again. `close` is called at most once.
   * There must be room for it.
   */
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

  /** Stops looking. Closes nothing. */
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
      // The database is away for a moment; the next look is a second from now.
    } finally {
      this.#isChecking = false;
    }
  }
}
