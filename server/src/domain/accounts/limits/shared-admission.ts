import { ApiError } from '../../../errors.ts';
import type { AccountSlots } from './account-slots.ts';
import {
  Admission,
  type AdmissionRequest,
  type AdmissionSettings,
  type AdmissionTicket,
  type QueueObserver,
} from './admission.ts';

/** Interval at which the first waiting request of an account looks for a slot that another server has released. */
const POLL_MS = 100;

/** A request that waits for a slot of its account. */
interface SlotWaiter {
  /** Called when the request is the first of its account, and when a slot of this server is released. */
  wake: () => void;
}

/**
 * Admission for several servers on one database: the concurrency limit of an account holds for all of them together.
 * A request first passes the admission of this server, then takes a slot of its account. Without a free slot it gives
 * its place back and waits. The requests of an account on one server take slots in order of arrival; between servers the
 * order is random. Waiting for a slot delays no other account.
 */
export class SharedAdmission extends Admission {
  readonly #slots: AccountSlots;
  readonly #limits: Pick<AdmissionSettings, 'queueMax' | 'queueMs'>;
  readonly #waiters = new Map<string, SlotWaiter[]>();
  #waiting = 0;

  constructor(settings: AdmissionSettings, slots: AccountSlots, observer?: QueueObserver) {
    super(settings, observer);
    this.#limits = settings;
    this.#slots = slots;
  }

  override get queueLength(): number {
    return super.queueLength + this.#waiting;
  }

  override async acquire(request: AdmissionRequest, signal: AbortSignal): Promise<AdmissionTicket> {
    const isFirst = !this.#waiters.has(request.accountId);
    const ticket = isFirst ? await this.#tryAcquire(request, signal) : undefined;
    return ticket ?? this.#waitForSlot(request, signal);
  }

  /** Undefined when all slots of the account are taken. */
  async #tryAcquire(request: AdmissionRequest, signal: AbortSignal): Promise<AdmissionTicket | undefined> {
    const { accountId, concurrencyMax } = request;
    const local = await super.acquire(request, signal);
    try {
      const slot = await this.#slots.take('request', accountId, concurrencyMax);
      if (slot === undefined) {
        local.release();
        return undefined;
      }
      let isReleased = false;
      return {
        activeCount: slot.activeCount,
        markStarted: local.markStarted,
        release: () => {
          if (isReleased) return;
          isReleased = true;
          local.markStarted();
          void slot.release().then(() => {
            local.release();
            this.#waiters.get(accountId)?.[0]?.wake();
          });
        },
      };
    } catch (error) {
      local.release();
      throw error;
    }
  }

  async #waitForSlot(request: AdmissionRequest, signal: AbortSignal): Promise<AdmissionTicket> {
    if (this.#waiting >= this.#limits.queueMax) throw this.#refusalOf(request);
    const { accountId } = request;
    const waiter: SlotWaiter = { wake: () => {} };
    const line = this.#waiters.get(accountId) ?? [];
    this.#waiters.set(accountId, line);
    line.push(waiter);
    this.#waiting += 1;
    const endMs = performance.now() + this.#limits.queueMs;
    try {
      for (;;) {
        const leftMs = endMs - performance.now();
        if (leftMs <= 0) throw this.#refusalOf(request);
        const isFirst = line[0] === waiter;
        await wakeOrTimeout(
          waiter,
          isFirst ? Math.min(leftMs, POLL_MS * (1 + Math.random())) : leftMs,
          signal,
        );
        signal.throwIfAborted();
        const ticket = line[0] === waiter ? await this.#tryAcquire(request, signal) : undefined;
        if (ticket !== undefined) return ticket;
      }
    } finally {
      this.#waiting -= 1;
      line.splice(line.indexOf(waiter), 1);
      if (line.length === 0) this.#waiters.delete(accountId);
      else line[0]?.wake();
    }
  }

  #refusalOf({ concurrencyMax }: AdmissionRequest): ApiError {
    return new ApiError(
      'concurrency_exceeded',
      `You have exceeded your current concurrency limit of ${concurrencyMax} requests.`,
      { retryAfterSeconds: Math.max(1, Math.round(this.#limits.queueMs / 10_000)) },
    );
  }
}

function wakeOrTimeout(waiter: SlotWaiter, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      waiter.wake = () => {};
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener('abort', finish);
    waiter.wake = finish;
    if (signal.aborted) finish();
  });
}
