import { createHash } from 'node:crypto';
import { ApiError } from '../../../errors.ts';

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
  /** `partial`: interrupted; the next attempt is charged only the remainder. */
  readonly state: 'running' | 'done' | 'partial';
  readonly attempt: number;
  readonly createdAtMs: number;
  /** Expiry of the lease. A running request whose server has died can be resumed after it. */
  readonly leaseUntilMs: number;
  readonly response: StoredResponse | undefined;
}

export interface RequestKey {
  readonly accountId: string;
  readonly key: string;
}

/** Persistent storage of requests with an idempotency key. */
export interface IdempotencyStore {
  /** Adds a running request; false when the key exists. */
  add(key: RequestKey, fingerprint: string, times: { nowMs: number; leaseUntilMs: number }): Promise<boolean>;
  find(key: RequestKey): Promise<IdempotentRequest | undefined>;
  /** Takes over a request that was interrupted or whose lease has expired; false when another process was first. */
  resume(key: RequestKey, attempt: number, leaseUntilMs: number): Promise<boolean>;
  renew(key: RequestKey, leaseUntilMs: number): Promise<void>;
  finish(
    key: RequestKey,
    outcome: { state: 'done' | 'partial'; response: StoredResponse | undefined },
  ): Promise<void>;
  /** Removes a request that failed without a charge, so that it can be repeated. */
  remove(key: RequestKey): Promise<void>;
  /** Removes requests from before `beforeMs`, and the oldest bodies above `bodyBytesMax` in total. */
  prune(beforeMs: number, bodyBytesMax: number): Promise<void>;
}

export interface IdempotencySettings {
  readonly keepMs: number;
  /** Lease duration of a running request without renewal. */
  readonly leaseMs: number;
  readonly bodyBytesMax: number;
  readonly cacheBytesMax: number;
}

/** A request to be executed, for the first time or again. */
export interface Attempt {
  readonly kind: 'attempt';
  /** The id of its charge, and those of earlier attempts, whose charges are deducted. */
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

  /** Returns an attempt to execute, or the response of an earlier request. Throws for a key used with another request. */
  async begin(key: RequestKey, fingerprint: string): Promise<Attempt | Replay> {
    if (key.key.length > KEY_LENGTH_MAX || !/^[\x21-\x7e]+$/.test(key.key)) {
      throw new ApiError(
        'invalid_request',
        `The Idempotency-Key must be 1 to ${KEY_LENGTH_MAX} visible ASCII characters.`,
      );
    }
    const nowMs = this.#now();
    const leaseUntilMs = nowMs + this.#settings.leaseMs;
    if (await this.#store.add(key, fingerprint, { nowMs, leaseUntilMs })) return this.#attempt(key, nowMs, 1);
    const known = await this.#store.find(key);
    // The first request failed and was removed in the meantime.
    if (known === undefined) return this.begin(key, fingerprint);
    if (known.fingerprint !== fingerprint) {
      throw new ApiError('idempotency_key_reused', 'This Idempotency-Key was used for another request.');
    }
    if (known.state === 'done') return { kind: 'replay', response: responseOf(known) };
    const isFree = known.state === 'partial' || known.leaseUntilMs <= nowMs;
    if (!isFree || !(await this.#store.resume(key, known.attempt, leaseUntilMs))) {
      throw new ApiError(
        'idempotency_in_progress',
        'The first request with this Idempotency-Key is still running.',
        { retryAfterSeconds: 1 },
      );
    }
    return this.#attempt(key, known.createdAtMs, known.attempt + 1);
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

  #attempt(key: RequestKey, createdAtMs: number, number: number): Attempt {
    const digest = fingerprintOf(key.accountId, key.key, createdAtMs).slice(0, 32);
    const chargeIds = Array.from({ length: number }, (_, index) => `once_${digest}_${index + 1}`);
    const renewal = setInterval(() => {
      void this.#store.renew(key, this.#now() + this.#settings.leaseMs).catch(() => {});
    }, this.#settings.leaseMs / 3).unref();
    return {
      kind: 'attempt',
      chargeId: chargeIds.at(-1)!,
      earlierChargeIds: chargeIds.slice(0, -1),
      finish: async ({ chargedNano, response }) => {
        clearInterval(renewal);
        const isFresh = chargedNano === 0 && number === 1;
        if (response === undefined && isFresh) return this.#store.remove(key);
        const isTooLarge = (response?.body?.length ?? 0) > this.#settings.bodyBytesMax;
        await this.#store.finish(key, {
          state: response === undefined ? 'partial' : 'done',
          response: response && isTooLarge ? { ...response, body: undefined } : response,
        });
      },
    };
  }
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
