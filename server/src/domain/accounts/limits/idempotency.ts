import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../../errors.ts';
import type { Lease } from '../lease.ts';

/** A stored response, to be sent again for a repeated request. */
export interface StoredResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined: too large to store, or removed since. */
  readonly body: Uint8Array | undefined;
}

/** The stored state of a request with an idempotency key. */
export interface IdempotentRequest {
  readonly fingerprint: string;
  /** `partial`: interrupted after a charge. */
  readonly state: 'running' | 'done' | 'partial';
  readonly attempt: number;
  readonly createdAtMs: number;
  readonly response: StoredResponse | undefined;
}

export interface RequestKey {
  readonly accountId: string;
  readonly key: string;
}

/** The lease of a process on a request. */
export type RequestLease = Extract<Lease, { kind: 'request' }>;

/**
 * Persistent storage of requests with an idempotency key. Leases follow the clock of the database. A write with a
 * lease that another process has taken over does nothing and returns false.
 */
export interface IdempotencyStore {
  /** Adds a running request; false when the key exists. */
  add(
    lease: RequestLease,
    request: { readonly fingerprint: string; readonly nowMs: number },
    leaseMs: number,
  ): Promise<boolean>;
  find(key: RequestKey): Promise<IdempotentRequest | undefined>;
  /**
   * Takes over a request that was interrupted or whose lease has expired; false while its lease is valid, and when
   * another process was first.
   */
  resume(lease: RequestLease, attempt: number, leaseMs: number): Promise<boolean>;
  renew(lease: RequestLease, leaseMs: number): Promise<boolean>;
  finish(
    lease: RequestLease,
    outcome: { state: 'done' | 'partial'; response: StoredResponse | undefined },
  ): Promise<boolean>;
  /** Removes a request that failed without a charge, so that it can be repeated. */
  remove(lease: RequestLease): Promise<boolean>;
  /** Number of stored requests of an account, counted up to `max`. */
  count(accountId: string, max: number): Promise<number>;
  /** Removes the oldest bodies of an account above `bodyBytesMax` in total. */
  pruneAccount(accountId: string, bodyBytesMax: number): Promise<void>;
  /** Removes requests from before `beforeMs`, and the oldest bodies above `bodyBytesMax` in total. */
  prune(beforeMs: number, bodyBytesMax: number): Promise<void>;
}

export interface IdempotencySettings {
  readonly keepMs: number;
  /** Lease duration of a running request without renewal. */
  readonly leaseMs: number;
  readonly bodyBytesMax: number;
  readonly cacheBytesMax: number;
  /** Maximum total size of the stored responses of an account. */
  readonly accountBytesMax: number;
  /** Maximum number of stored requests of an account. */
  readonly accountKeysMax: number;
}

/** A request to be executed, for the first time or again. */
export interface Attempt {
  readonly kind: 'attempt';
  readonly lease: RequestLease;
  /** Aborts when another process has taken over the request. This process must stop. */
  readonly leaseLost: AbortSignal;
  /** Call it before each part of the response. Throws `idempotency_in_progress` when the lease is lost. */
  ensureHeld(): Promise<void>;
  /** The same for all attempts at the request, for the id of what it creates. */
  readonly resourceId: string;
  /** The id of its charge, and those of earlier attempts whose charges are deducted. */
  readonly chargeId: string;
  readonly earlierChargeIds: readonly string[];
  /** Stores the outcome. Without a response the request can be repeated. */
  finish(outcome: { chargedNano: number; response: StoredResponse | undefined }): Promise<void>;
}

/** A request that was completed before: its stored response is sent again. */
export interface Replay {
  readonly kind: 'replay';
  readonly response: StoredResponse;
}

const KEY_LENGTH_MAX = 255;
const PRUNE_INTERVAL_MS = 10 * 60_000;
/**
 * How long a repeated request waits for the end of the first one. The outcome is stored after the last byte was sent, so
 * that another server may receive the repetition before.
 */
const END_WAIT_MS = 500;
const END_POLL_MS = 25;
/** Attempts at one request that together cost at most its price. Each further attempt is charged in full. */
const REMAINDER_ATTEMPTS_MAX = 3;

/** Executes a request with an `Idempotency-Key` once; repetitions get the stored response. */
export class Idempotency {
  readonly #store: IdempotencyStore;
  readonly #settings: IdempotencySettings;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;

  constructor(store: IdempotencyStore, settings: IdempotencySettings, now: () => number = Date.now) {
    this.#store = store;
    this.#settings = settings;
    this.#now = now;
  }

  /** Maximum size of a stored response. */
  get bodyBytesMax(): number {
    return this.#settings.bodyBytesMax;
  }

  /** Maximum total size of the stored responses of an account. */
  get accountBytesMax(): number {
    return this.#settings.accountBytesMax;
  }

  /** Returns an attempt to execute, or the response of an earlier request. Throws for a key used with another request. */
  async begin(key: RequestKey, fingerprint: string): Promise<Attempt | Replay> {
    if (key.key.length > KEY_LENGTH_MAX || !/^[\x21-\x7e]+$/.test(key.key)) {
      throw new ApiError(
        'invalid_request',
        `The Idempotency-Key must be 1 to ${KEY_LENGTH_MAX} visible ASCII characters.`,
      );
    }
    const nowMs = this.#now();
    const { leaseMs } = this.#settings;
    const lease = { kind: 'request', ...key, token: randomUUID() } as const;
    const known = await this.#store.find(key);
    if (known === undefined) {
      await this.#requireRoom(key.accountId);
      if (await this.#store.add(lease, { fingerprint, nowMs }, leaseMs))
        return this.#attempt(lease, nowMs, 1);
      // A concurrent request was first.
      return this.begin(key, fingerprint);
    }
    if (known.fingerprint !== fingerprint) {
      throw new ApiError('idempotency_key_reused', 'This Idempotency-Key was used for another request.');
    }
    if (known.state === 'done') return { kind: 'replay', response: responseOf(known) };
    if (await this.#store.resume(lease, known.attempt, leaseMs))
      return this.#attempt(lease, known.createdAtMs, known.attempt + 1);
    if (!(await this.#hasEnded(key))) throw createInProgressError();
    return this.begin(key, fingerprint);
  }

  /** Whether a running request ends within a short time. */
  async #hasEnded(key: RequestKey): Promise<boolean> {
    for (let waitedMs = 0; waitedMs < END_WAIT_MS; waitedMs += END_POLL_MS) {
      await sleep(END_POLL_MS);
      if ((await this.#store.find(key))?.state !== 'running') return true;
    }
    return false;
  }

  /** Starts the periodic removal of expired entries. */
  start(): void {
    this.#timer ??= setInterval(() => void this.prune().catch(() => {}), PRUNE_INTERVAL_MS).unref();
  }

  async prune(): Promise<void> {
    await this.#store.prune(this.#now() - this.#settings.keepMs, this.#settings.cacheBytesMax);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #requireRoom(accountId: string): Promise<void> {
    const max = this.#settings.accountKeysMax;
    if ((await this.#store.count(accountId, max)) < max) return;
    throw new ApiError(
      'idempotency_limit',
      `An account may have at most ${max} idempotency keys at a time.`,
      {
        retryAfterSeconds: PRUNE_INTERVAL_MS / 1000,
      },
    );
  }

  #attempt(lease: RequestLease, createdAtMs: number, number: number): Attempt {
    const digest = fingerprintOf(lease.accountId, lease.key, createdAtMs).slice(0, 32);
    const chargeIds = Array.from({ length: number }, (_, index) => `once_${digest}_${index + 1}`);
    const { leaseMs } = this.#settings;
    const lost = new AbortController();
    let renewedAtMs = performance.now();
    const renew = async () => {
      const startMs = performance.now();
      if (await this.#store.renew(lease, leaseMs)) renewedAtMs = startMs;
      else lost.abort(createInProgressError());
    };
    // A failed renewal is repeated; the lease may outlast an outage of the database.
    const renewal = setInterval(() => void renew().catch(() => {}), leaseMs / 3).unref();
    return {
      kind: 'attempt',
      lease,
      leaseLost: lost.signal,
      ensureHeld: async () => {
        if (performance.now() - renewedAtMs > leaseMs / 2) await renew();
        lost.signal.throwIfAborted();
      },
      resourceId: digest,
      chargeId: chargeIds.at(-1)!,
      earlierChargeIds: number > REMAINDER_ATTEMPTS_MAX ? [] : chargeIds.slice(0, -1),
      finish: async ({ chargedNano, response }) => {
        clearInterval(renewal);
        const isFresh = chargedNano === 0 && number === 1;
        if (response === undefined && isFresh) return void (await this.#store.remove(lease));
        const isTooLarge = (response?.body?.length ?? 0) > this.#settings.bodyBytesMax;
        await this.#store.finish(lease, {
          state: response === undefined ? 'partial' : 'done',
          response: response && isTooLarge ? { ...response, body: undefined } : response,
        });
        if (response?.body !== undefined)
          await this.#store.pruneAccount(lease.accountId, this.#settings.accountBytesMax);
      },
    };
  }
}

function createInProgressError(): ApiError {
  return new ApiError(
    'idempotency_in_progress',
    'The first request with this Idempotency-Key is still running.',
    { retryAfterSeconds: 1 },
  );
}

/** A hash of the request that does not depend on its encoding or on the order of its fields. */
export function fingerprintOf(...parts: readonly unknown[]): string {
  const hash = createHash('sha256');
  const visit = (value: unknown): void => {
    if (value instanceof Uint8Array) {
      hash.update(`bytes ${value.length}:`).update(value);
    } else if (Array.isArray(value)) {
      hash.update(`list ${value.length}:`);
      for (const item of value) visit(item);
    } else if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value).filter(([, item]) => item !== undefined);
      hash.update(`map ${entries.length}:`);
      for (const [name, item] of entries.sort(([a], [b]) => (a < b ? -1 : 1))) {
        visit(name);
        visit(item);
      }
    } else {
      const text = String(value);
      hash.update(`${typeof value} ${text.length}:${text}`);
    }
  };
  visit(parts);
  return hash.digest('hex');
}

function responseOf({ response }: IdempotentRequest): StoredResponse {
  if (response?.body !== undefined) return response;
  throw new ApiError(
    'idempotency_outcome_gone',
    'The request with this Idempotency-Key was completed, but its response is no longer stored. Use a new key to execute it again.',
  );
}
