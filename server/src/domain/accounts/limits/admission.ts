import { ApiError } from '../../../errors.ts';

export interface AdmissionSettings {
  /** Maximum number of admitted requests without a first result. One account gets at most half of them. */
  readonly startingMax: number;
  readonly queueMax: number;
  readonly queueMs: number;
}

/** A request for admission, with the concurrency limit of its account. */
export interface AdmissionRequest {
  readonly accountId: string;
  readonly keyId: string;
  readonly concurrencyMax: number;
}

/** Receives the waits and refusals of a queue. */
export interface QueueObserver {
  /** A request has left the queue, admitted or not. 0 seconds: it did not wait. */
  waited(seconds: number): void;
  /** `code` is the error code of the refusal. */
  refused(code: string): void;
}

/** The admission of one request. It must be released in every case. */
export interface AdmissionTicket {
  /** Active requests of the account at the time of admission, including this one. */
  readonly activeCount: number;
  /** Reports the first result, so that another request can be admitted. */
  markStarted(): void;
  release(): void;
}

interface Waiter {
  readonly request: AdmissionRequest;
  readonly admit: () => void;
  readonly reject: (error: unknown) => void;
}

/** The active requests of one account, and its queued requests by key. */
interface AccountQueue {
  active: number;
  starting: number;
  /** Sequence number of the last admission; 0: none yet. */
  lastAdmission: number;
  /** Queued requests by key. The first key is served next. */
  readonly waiting: Map<string, Waiter[]>;
}

/**
 * Admission control. Requests above the limits wait in a bounded queue. The queue is served round-robin by account,
 * and within an account by key, so that one account cannot delay the others. The counts are those of this process.
 */
export class Admission {
  readonly #settings: AdmissionSettings;
  readonly #observer: QueueObserver | undefined;
  readonly #accountStartingMax: number;
  readonly #queues = new Map<string, AccountQueue>();
  #admissions = 0;
  #starting = 0;
  #waiting = 0;

  constructor(settings: AdmissionSettings, observer?: QueueObserver) {
    this.#settings = settings;
    this.#observer = observer;
    this.#accountStartingMax = Math.ceil(settings.startingMax / 2);
  }

  /** Resolves on admission. Rejects with 429 when the queue is full or the wait too long, and when the signal aborts. */
  async acquire(request: AdmissionRequest, signal: AbortSignal): Promise<AdmissionTicket> {
    signal.throwIfAborted();
    const queue = this.#queueOf(request.accountId);
    if (queue.waiting.size > 0 || !this.#hasCapacity(queue, request))
      await this.#wait(queue, request, signal);
    else {
      this.#occupy(queue);
      this.#observer?.waited(0);
    }
    return this.#createTicket(queue, request.accountId);
  }

  /** Number of queued requests. */
  get queueLength(): number {
    return this.#waiting;
  }

  #queueOf(accountId: string): AccountQueue {
    const queue = this.#queues.get(accountId) ?? {
      active: 0,
      starting: 0,
      lastAdmission: 0,
      waiting: new Map(),
    };
    this.#queues.set(accountId, queue);
    return queue;
  }

  #hasCapacity(queue: AccountQueue, request: AdmissionRequest): boolean {
    return (
      queue.active < request.concurrencyMax &&
      queue.starting < this.#accountStartingMax &&
      this.#starting < this.#settings.startingMax
    );
  }

  #occupy(queue: AccountQueue): void {
    this.#admissions += 1;
    queue.lastAdmission = this.#admissions;
    queue.active += 1;
    queue.starting += 1;
    this.#starting += 1;
  }

  #createTicket(queue: AccountQueue, accountId: string): AdmissionTicket {
    let isStarted = false;
    let isReleased = false;
    const markStarted = () => {
      if (isStarted) return;
      isStarted = true;
      queue.starting -= 1;
      this.#starting -= 1;
      this.#admitWaiting();
    };
    return {
      activeCount: queue.active,
      markStarted,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        queue.active -= 1;
        markStarted();
        this.#admitWaiting();
        if (queue.active === 0 && queue.waiting.size === 0) this.#queues.delete(accountId);
      },
    };
  }

  #wait(queue: AccountQueue, request: AdmissionRequest, signal: AbortSignal): Promise<void> {
    if (this.#waiting >= this.#settings.queueMax) this.#evictOne(queue, request);
    const startedAtMs = performance.now();
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void) => {
        this.#observer?.waited((performance.now() - startedAtMs) / 1000);
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        this.#remove(waiter, queue);
        finish();
      };
      const waiter: Waiter = {
        request,
        admit: () => settle(resolve),
        reject: (error) => settle(() => reject(error)),
      };
      const onAbort = () => waiter.reject(signal.reason);
      const timer = setTimeout(
        () => waiter.reject(this.#createRefusal(queue, request)),
        this.#settings.queueMs,
      );
      signal.addEventListener('abort', onAbort);
      this.#waiting += 1;
      queue.waiting.set(request.keyId, [...(queue.waiting.get(request.keyId) ?? []), waiter]);
    });
  }

  /** Rejects the last request of the longest queue. Throws instead when that queue is the one of the new request. */
  #evictOne(queueOfRequest: AccountQueue, request: AdmissionRequest): void {
    let longest = queueOfRequest;
    for (const queue of this.#queues.values()) {
      if (lengthOf(queue) > lengthOf(longest)) longest = queue;
    }
    const last = [...longest.waiting.values()].at(-1)?.at(-1);
    if (last === undefined || lengthOf(longest) <= lengthOf(queueOfRequest) + 1)
      throw this.#createRefusal(queueOfRequest, request);
    last.reject(this.#createRefusal(longest, last.request));
  }

  #remove(waiter: Waiter, queue: AccountQueue): void {
    const { keyId } = waiter.request;
    const remaining = (queue.waiting.get(keyId) ?? []).filter((other) => other !== waiter);
    this.#waiting -= 1;
    // The key moves to the end of the round.
    queue.waiting.delete(keyId);
    if (remaining.length > 0) queue.waiting.set(keyId, remaining);
  }

  /** Admits queued requests while there is capacity; the account with the oldest admission comes first. */
  #admitWaiting(): void {
    while (this.#waiting > 0 && this.#starting < this.#settings.startingMax) {
      let next: { readonly queue: AccountQueue; readonly waiter: Waiter } | undefined;
      for (const queue of this.#queues.values()) {
        const waiter = firstOf(queue);
        if (waiter === undefined || !this.#hasCapacity(queue, waiter.request)) continue;
        if (next === undefined || queue.lastAdmission < next.queue.lastAdmission) next = { queue, waiter };
      }
      if (next === undefined) return;
      this.#occupy(next.queue);
      next.waiter.admit();
    }
  }

  #createRefusal(queue: AccountQueue, { concurrencyMax }: AdmissionRequest): ApiError {
    const options = { retryAfterSeconds: Math.max(1, Math.round(this.#settings.queueMs / 10_000)) };
    const isConcurrency = queue.active >= concurrencyMax;
    this.#observer?.refused(isConcurrency ? 'concurrency_exceeded' : 'queue_full');
    return isConcurrency
      ? new ApiError(
          'concurrency_exceeded',
          `You have exceeded your current concurrency limit of ${concurrencyMax} requests.`,
          options,
        )
      : new ApiError('queue_full', 'Too many requests are queued.', options);
  }
}

function firstOf(queue: AccountQueue): Waiter | undefined {
  const [waiters] = queue.waiting.values();
  return waiters?.[0];
}

function lengthOf(queue: AccountQueue): number {
  let length = 0;
  for (const waiters of queue.waiting.values()) length += waiters.length;
  return length;
}
