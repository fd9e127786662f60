import { ApiError } from '../../../errors.ts';
import type { Caller, Scope } from '../caller.ts';
import type { KeyGrant } from './key-store.ts';

/** Reason why the server closes a live connection. */
export type CloseReason = 'key_revoked' | 'key_expired' | 'scope_removed';

type ConnectionCaller = Pick<Caller, 'accountId' | 'keyId' | 'sessionId'> & Partial<KeyGrant>;

interface Connection {
  /** Updated in place when the key changes. */
  readonly caller: ConnectionCaller;
  readonly close: (reason: CloseReason) => void;
  /** Whether it counts towards the limit per account. */
  readonly isCounted: boolean;
  /** The connection is closed when its key loses this scope. */
  readonly scope: Scope | undefined;
}

/** The error to send before a connection is closed. */
export function closeErrorOf(reason: CloseReason): ApiError {
  return reason === 'scope_removed'
    ? new ApiError('insufficient_scope', 'The API key has lost the scope of this connection.')
    : new ApiError('invalid_api_key', 'The API key is no longer valid.');
}

export interface LiveConnectionsOptions {
  /** The keys among `keyIds` that are revoked or expired. */
  readonly findInvalid: (keyIds: readonly string[]) => Promise<ReadonlyMap<string, CloseReason>>;
  /** The current grants of the keys among `keyIds` that exist. */
  readonly findGrants: (keyIds: readonly string[]) => Promise<ReadonlyMap<string, KeyGrant>>;
  /** Maximum number of open connections per account. */
  readonly perAccountMax: number;
  /** Takes a place for a connection of an account on all servers together. Undefined when there is none left. */
  readonly reserve?: ((accountId: string) => Promise<(() => void) | undefined>) | undefined;
  /** Interval of the check for keys that another process has revoked. */
  readonly checkMs?: number;
}

/**
 * The open live connections and running requests. They are closed when their key becomes invalid or loses the scope: at
 * once when the key was revoked through this server, within `checkMs` otherwise. Their callers follow other changes of
 * the key, such as a spend cap, within `checkMs`.
 */
export class LiveConnections {
  readonly #options: LiveConnectionsOptions;
  readonly #connections = new Set<Connection>();
  readonly #timer: NodeJS.Timeout;
  #isChecking = false;

  constructor(options: LiveConnectionsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#check(), options.checkMs ?? 1000).unref();
  }

  /** Throws `too_many_connections` when the account is at its limit. */
  assertCapacity(accountId: string): void {
    if (this.countOf(accountId) >= this.#options.perAccountMax) throw this.#createRefusal();
  }

  /**
   * Takes a place for a connection; throws `too_many_connections` when the account is at its limit. Returns the function
   * that gives the place back.
   */
  async reserve(accountId: string): Promise<() => void> {
    this.assertCapacity(accountId);
    const { reserve = async () => () => {} } = this.#options;
    const release = await reserve(accountId);
    if (release === undefined) throw this.#createRefusal();
    return release;
  }

  /** Checks the keys now, because another process may have changed one. */
  checkNow(): void {
    void this.#check();
  }

  /** Registers a connection; call `assertCapacity` first. Returns the function that unregisters it. `close` is called at most once. */
  add(caller: ConnectionCaller, close: (reason: CloseReason) => void, scope?: Scope): () => void {
    return this.#register({ caller, close, scope, isCounted: true });
  }

  /** Registers a running request, which does not count towards the limit per account. */
  watch(caller: ConnectionCaller, close: (reason: CloseReason) => void, scope?: Scope): () => void {
    return this.#register({ caller, close, scope, isCounted: false });
  }

  /** Number of open sockets. */
  get openCount(): number {
    let count = 0;
    for (const { isCounted } of this.#connections) if (isCounted) count += 1;
    return count;
  }

  countOf(accountId: string): number {
    return [...this.#connections].filter(
      ({ caller, isCounted }) => isCounted && caller.accountId === accountId,
    ).length;
  }

  /** Closes every connection of a key. */
  closeKey(keyId: string, reason: CloseReason): void {
    for (const connection of [...this.#connections]) {
      if (connection.caller.keyId !== keyId) continue;
      this.#connections.delete(connection);
      connection.close(reason);
    }
  }

  /** Closes every connection of a session of the web console. */
  closeSession(sessionId: string): void {
    for (const connection of [...this.#connections]) {
      if (connection.caller.sessionId !== sessionId) continue;
      this.#connections.delete(connection);
      connection.close('key_revoked');
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
      const keyIds = [...new Set([...this.#connections].map(({ caller }) => caller.keyId))];
      for (const [keyId, reason] of await this.#options.findInvalid(keyIds)) this.closeKey(keyId, reason);
      this.#update(await this.#options.findGrants(keyIds));
    } catch {
      // A temporary failure of the database; the next check repeats the query.
    } finally {
      this.#isChecking = false;
    }
  }

  #update(grants: ReadonlyMap<string, KeyGrant>): void {
    for (const connection of [...this.#connections]) {
      const { caller, scope, close } = connection;
      const grant = grants.get(caller.keyId);
      if (grant === undefined) continue;
      Object.assign(caller, grant);
      if (scope === undefined || grant.scopes.includes(scope)) continue;
      this.#connections.delete(connection);
      close('scope_removed');
    }
  }

  #createRefusal(): ApiError {
    return new ApiError(
      'too_many_connections',
      `This account has ${this.#options.perAccountMax} open connections, which is the limit.`,
      { retryAfterSeconds: 5 },
    );
  }

  #register(connection: Connection): () => void {
    this.#connections.add(connection);
    return () => void this.#connections.delete(connection);
  }
}
