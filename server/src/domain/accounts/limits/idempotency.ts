import { createHash } from 'node:crypto';
import { ApiError } from '../../../errors.ts';

/** An answer that can be sent again. */
export interface StoredResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined: too large to keep, or dropped since. */
  readonly body: Uint8Array | undefined;
}

/** What is known of a request with an idempotency key. */
export interface KnownRequest {
  readonly fingerprint: string;
  /** `partial`: it was cut short; a further try pays only what is not paid yet. */
  readonly state: 'running' | 'done' | 'partial';
  readonly attempt: number;
  readonly createdAtMs: number;
  /** A running one whose server has died may be tried again after this. */
  readonly leaseUntilMs: number;
  readonly answer: StoredResponse | undefined;
}

export interface RequestKey {
  readonly accountId: string;
  readonly key: string;
}

/** Where requests with an idempotency key are remembered. */
export interface IdempotencyStore {
  /** Notes that the request begins; false when it is known already. */
  begin(
    key: RequestKey,
    fingerprint: string,
    times: { nowMs: number; leaseUntilMs: number },
  ): Promise<boolean>;
  find(key: RequestKey): Promise<KnownRequest | undefined>;
  /** Takes over a request that was cut short or whose server died; false when somebody else was faster. */
  resume(key: RequestKey, attempt: number, leaseUntilMs: number): Promise<boolean>;
  renew(key: RequestKey, leaseUntilMs: number): Promise<void>;
  finish(
    key: RequestKey,
    outcome: { state: 'done' | 'partial'; answer: StoredResponse | undefined },
  ): Promise<void>;
  /** Forgets a request that cost nothing, so that it can be tried again. */
  forget(key: RequestKey): Promise<void>;
  /** Forgets what is older than `beforeMs`, and the oldest bodies beyond `bodyBytesMax` in all. */
  prune(beforeMs: number, bodyBytesMax: number): Promise<void>;
}

export interface IdempotencySettings {
  readonly keepMs: number;
  /** How long a running request is believed to be alive without a sign of it. */
  readonly leaseMs: number;
  readonly bodyBytesMax: number;
  readonly cacheBytesMax: number;
}

/** A request that is to be worked on, for the first time or again. */
export interface Attempt {
  /** The id to sell it under, and those of earlier tries: what they paid is not paid again, also after a crash. */
  readonly saleId: string;
  readonly earlierSaleIds: readonly string[];
  /** Keeps the outcome. Without an answer it may be tried again. */
  finish(outcome: { chargedNano: number; answer: StoredResponse | undefined }): Promise<void>;
}

const KEY_LENGTH_MAX = 255;
const PRUNE_INTERVAL_MS = 10 * 60_000;

/** Makes requests with an `Idempotency-Key` harmless to repeat. */
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

  /** Answers that are larger are not kept. */
  get bodyBytesMax(): number {
    return this.#settings.bodyBytesMax;
  }

  /** The answer of an earlier request with this key, or leave to work on it. Refuses a key that was used otherwise. */
  async begin(key: RequestKey, fingerprint: string): Promise<Attempt | StoredResponse> {
    if (key.key.length > KEY_LENGTH_MAX || !/^[\x21-\x7e]+$/.test(key.key)) {
      throw new ApiError(
        'invalid_request',
        `The Idempotency-Key must be 1 to ${KEY_LENGTH_MAX} visible ASCII characters.`,
      );
    }
    const nowMs = this.#now();
    const leaseUntilMs = nowMs + this.#settings.leaseMs;
    if (await this.#store.begin(key, fingerprint, { nowMs, leaseUntilMs }))
      return this.#attempt(key, nowMs, 1);
    const known = await this.#store.find(key);
    // It was forgotten a moment ago: whoever was first failed, and it is our turn.
    if (known === undefined) return this.begin(key, fingerprint);
    if (known.fingerprint !== fingerprint) {
      throw new ApiError('idempotency_key_reused', 'This Idempotency-Key was used for another request.');
    }
    if (known.state === 'done') return answerOf(known);
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

  /** Begins to forget what is old. */
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
    const saleIds = Array.from({ length: number }, (_, index) => `once_${digest}_${index + 1}`);
    const renewal = setInterval(() => {
      void this.#store.renew(key, this.#now() + this.#settings.leaseMs).catch(() => {});
    }, this.#settings.leaseMs / 3).unref();
    return {
      saleId: saleIds.at(-1)!,
      earlierSaleIds: saleIds.slice(0, -1),
      finish: async ({ chargedNano, answer }) => {
        clearInterval(renewal);
        const isFresh = chargedNano === 0 && number === 1;
        if (answer === undefined && isFresh) return this.#store.forget(key);
        const isTooLarge = (answer?.body?.length ?? 0) > this.#settings.bodyBytesMax;
        await this.#store.finish(key, {
          state: answer === undefined ? 'partial' : 'done',
          answer: answer && isTooLarge ? { ...answer, body: undefined } : answer,
        });
      },
    };
  }
}

/** The same for the same request, whatever its encoding and the order of its fields. */
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

function answerOf({ answer }: KnownRequest): StoredResponse {
  if (answer?.body !== undefined) return answer;
  throw new ApiError(
    'idempotency_outcome_gone',
    'The request with this Idempotency-Key was answered, but the answer is no longer kept. Send it with a new key to do it again.',
  );
}
