import { randomBytes, randomUUID } from 'node:crypto';
import { ApiError } from '../../../errors.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Caller } from '../caller.ts';
import type { ApiKeys } from '../keys/api-keys.ts';
import {
  FAILED_LOGINS_MAX,
  KEY_LOGINS_MAX,
  type LoginCounter,
  LoginLimit,
  MemoryLoginCounter,
} from './login-limit.ts';
import { LoginLinks } from './login-links.ts';
import type { SessionStore, StoredSession } from './session-store.ts';
import { hashToken } from './token-hash.ts';

/** How a session is opened: with an API key, or with the token of a login link. */
export type Credentials = { readonly key: string } | { readonly link: string };

export interface Client {
  /** Network address. */
  readonly source: string;
  readonly userAgent: string;
}

/** A session and its token, which is available only here. */
export interface OpenedSession {
  readonly session: StoredSession;
  readonly token: string;
}

export interface SessionsDeps {
  readonly store: SessionStore;
  readonly keys: Pick<ApiKeys, 'authenticate' | 'callerOf'>;
  readonly audit: Pick<AuditLog, 'record'>;
  readonly lifetimeMs: number;
  /** Counts the logins of all servers together. Absent: those of this one. */
  readonly logins?: LoginCounter | undefined;
  /** Called after a session was revoked through this instance. */
  readonly onRevoked?: (sessionId: string) => void;
  readonly now?: () => number;
}

/** Age at which a token is replaced. */
export const TOKEN_ROTATION_MS = 3_600_000;
/** Time for which the previous token still works, for requests that were sent before the rotation. */
export const ROTATION_GRACE_MS = 60_000;
const CACHE_MS = 1000;
const CACHE_SIZE_MAX = 10_000;
const USE_RECORD_INTERVAL_MS = 60_000;
/** A key above this number of sessions loses its oldest. It never ends those of other keys. */
export const SESSIONS_PER_KEY_MAX = 50;
const USER_AGENT_MAX_CHARS = 200;
const TOKEN_BYTES = 32;
const TOKEN_PATTERN = /^[\w-]{43}$/;

type SessionCaller = Pick<Caller, 'accountId' | 'keyId' | 'scopes'>;

/** Opens, authenticates, rotates, lists and revokes sessions of the web console. */
export class Sessions {
  /** One-time links that open a session. */
  readonly links: LoginLinks;
  readonly #deps: SessionsDeps;
  readonly #now: () => number;
  readonly #failedLogins: LoginLimit;
  readonly #keyLogins: LoginLimit;
  readonly #cache = new Map<string, { readonly session: StoredSession; readonly untilMs: number }>();

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
    const logins = deps.logins ?? new MemoryLoginCounter(this.#now);
    this.#failedLogins = new LoginLimit(logins, {
      kind: 'address',
      max: FAILED_LOGINS_MAX,
      message: 'Too many failed logins from this address.',
    });
    this.#keyLogins = new LoginLimit(logins, {
      kind: 'key',
      max: KEY_LOGINS_MAX,
      message: 'Too many logins with this API key.',
    });
    this.links = new LoginLinks(this.#now);
  }

  /** Opens a session. Throws `invalid_api_key`, `invalid_login_link` or `too_many_logins`. */
  async open(credentials: Credentials, client: Client): Promise<OpenedSession> {
    await this.#failedLogins.assertAllowed(client.source);
    const caller = await this.#callerOf(credentials);
    if (caller === undefined) {
      await this.#failedLogins.count(client.source);
      throw 'key' in credentials
        ? new ApiError('invalid_api_key', 'Invalid Token')
        : new ApiError('invalid_login_link', 'This link was used before or has expired.');
    }
    await this.#keyLogins.assertAllowed(caller.keyId);
    await this.#keyLogins.count(caller.keyId);
    const nowMs = this.#now();
    const token = createToken();
    const session: StoredSession = {
      id: `ses_${randomUUID().replaceAll('-', '')}`,
      accountId: caller.accountId,
      keyId: caller.keyId,
      tokenHash: hashToken(token),
      tokenCreatedAtMs: nowMs,
      previousHash: undefined,
      source: client.source,
      userAgent: printable(client.userAgent).slice(0, USER_AGENT_MAX_CHARS),
      createdAtMs: nowMs,
      expiresAtMs: nowMs + this.#deps.lifetimeMs,
      lastUsedAtMs: nowMs,
    };
    await this.#deps.store.deleteExpired(nowMs);
    await this.#deps.store.add(session);
    await this.#removeExcess(caller);
    await this.#record('session.open', session, { name: caller.keyId, source: client.source });
    return { session, token };
  }

  /** The caller of a token. Undefined for an unknown, expired or revoked one, and when its key is no longer valid. */
  async authenticate(token: string): Promise<Caller | undefined> {
    const session = await this.find(token);
    const caller = session && (await this.#deps.keys.callerOf(session.keyId));
    if (session === undefined || caller === undefined || caller.accountId !== session.accountId) {
      return undefined;
    }
    return { ...caller, sessionId: session.id };
  }

  /** The session of a token. */
  async find(token: string): Promise<StoredSession | undefined> {
    if (!TOKEN_PATTERN.test(token)) return undefined;
    const hash = hashToken(token);
    const session = await this.#lookUp(hash);
    const nowMs = this.#now();
    if (session === undefined || session.expiresAtMs <= nowMs) return undefined;
    const isPrevious = session.tokenHash !== hash;
    if (isPrevious && nowMs >= session.tokenCreatedAtMs + ROTATION_GRACE_MS) return undefined;
    if (nowMs - session.lastUsedAtMs >= USE_RECORD_INTERVAL_MS) {
      this.#cache.delete(hash);
      await this.#deps.store.recordUse(session.id, nowMs);
    }
    return session;
  }

  /** Replaces a current token that is old enough. Undefined: the token stays. */
  async rotate(token: string): Promise<OpenedSession | undefined> {
    const session = await this.find(token);
    const hash = hashToken(token);
    if (session === undefined || session.tokenHash !== hash) return undefined;
    const nowMs = this.#now();
    if (nowMs - session.tokenCreatedAtMs < TOKEN_ROTATION_MS) return undefined;
    const next = createToken();
    const tokenHash = hashToken(next);
    this.#cache.delete(hash);
    const isReplaced = await this.#deps.store.replaceToken(session.id, {
      expectedHash: hash,
      tokenHash,
      atMs: nowMs,
    });
    // Another request of the same browser was faster; its response has the new token.
    if (!isReplaced) return undefined;
    return {
      session: { ...session, tokenHash, tokenCreatedAtMs: nowMs, previousHash: hash },
      token: next,
    };
  }

  /** The sessions that a caller may see and end: those of its key, or of all keys of the account if it manages them. */
  async list({ accountId, keyId, scopes }: SessionCaller): Promise<readonly StoredSession[]> {
    const sessions = await this.#deps.store.list(accountId, this.#now());
    const managesKeys = scopes.includes('keys:write') || scopes.includes('admin');
    return managesKeys ? sessions : sessions.filter((session) => session.keyId === keyId);
  }

  /** Ends a session that the caller may see. Throws `session_not_found`. */
  async revoke(id: string, caller: SessionCaller, source: string): Promise<void> {
    const { accountId, keyId } = caller;
    const session = (await this.list(caller)).find((candidate) => candidate.id === id);
    if (session === undefined || !(await this.#deps.store.delete(id, accountId))) {
      throw new ApiError('session_not_found', 'The account has no session with this id.');
    }
    this.#cache.clear();
    this.#deps.onRevoked?.(id);
    await this.#record('session.revoke', session, { name: keyId, source });
  }

  async #callerOf(credentials: Credentials): Promise<Caller | undefined> {
    if ('key' in credentials) return this.#deps.keys.authenticate(credentials.key);
    const keyId = this.links.redeem(credentials.link);
    return keyId === undefined ? undefined : this.#deps.keys.callerOf(keyId);
  }

  async #lookUp(hash: string): Promise<StoredSession | undefined> {
    const cached = this.#cache.get(hash);
    if (cached !== undefined && cached.untilMs > this.#now()) return cached.session;
    this.#cache.delete(hash);
    const session = await this.#deps.store.findByHash(hash);
    if (session === undefined) return undefined;
    if (this.#cache.size >= CACHE_SIZE_MAX) this.#cache.clear();
    this.#cache.set(hash, { session, untilMs: this.#now() + CACHE_MS });
    return session;
  }

  async #removeExcess({ accountId, keyId }: Caller): Promise<void> {
    const sessions = await this.#deps.store.list(accountId, this.#now());
    for (const { id } of sessions.filter((each) => each.keyId === keyId).slice(SESSIONS_PER_KEY_MAX)) {
      await this.#deps.store.delete(id, accountId);
      this.#deps.onRevoked?.(id);
    }
  }

  #record(
    action: 'session.open' | 'session.revoke',
    session: StoredSession,
    actor: { readonly name: string; readonly source: string },
  ): Promise<void> {
    return this.#deps.audit.record({
      actor,
      action,
      accountId: session.accountId,
      target: session.id,
      facts: {},
    });
  }
}

function createToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '');
}
