import { ApiError } from '../../../errors.ts';
import { EngineCosts } from './engine-costs.ts';
import { StreamLoad } from './stream-load.ts';

export interface CapacitySettings {
  /** Number of worker processes; 1 until it is known. */
  readonly workers?: number;
  /** Maximum utilisation of the workers by streams, 0 to 1. The rest is a reserve for variations in cost. */
  readonly utilisationMax: number;
  /** Maximum time in the admission queue. */
  readonly waitMs: number;
  /** A client that reads far below real time for this long is disconnected; 0: never. */
  readonly slowReaderMs?: number;
  /** A monotonic clock in milliseconds. Default: `performance.now`. */
  readonly now?: () => number;
  readonly observer?: CapacityObserver | undefined;
  /** Other servers that use the same workers. Absent: there are none. */
  readonly sharing?: CapacitySharing | undefined;
}

/** The streams of other servers on the same workers count as those of this one. */
export interface CapacitySharing {
  /** Worker seconds per second that the streams of other servers need, by account name. */
  otherLoads(): ReadonlyMap<string, number>;
  /** The name of an account that all servers use. */
  accountNameOf(accountId: string): string;
  /** Worker seconds per second that other servers may admit before they report again. */
  reservedByOthers(): number;
  /** Number of other servers, including those without streams. */
  readonly otherCount: number;
  /** Announces the loads of this server, and what it may admit before its next report, at once. */
  announce(loads: ReadonlyMap<string, number>, reserved: number): void;
}

/** Receives the waits and refusals of the queue for capacity, and the cost of speech. */
export interface CapacityObserver {
  /** A stream has left the queue, admitted or not. */
  waited(seconds: number): void;
  /** `code` is the error code of the refusal. */
  refused(code: string): void;
  /** Audio was synthesized in `workSeconds` of worker time. */
  synthesized(engine: string, cost: { readonly audioSeconds: number; readonly workSeconds: number }): void;
}

/** A stream that asks for admission. */
export interface StreamRequest {
  readonly engine: string;
  readonly accountId: string;
}

interface QueuedStream extends StreamRequest {
  readonly admit: () => void;
}

/** Tolerance for rounding of sums. */
const EPSILON = 1e-9;
const NO_LOADS: ReadonlyMap<string, number> = new Map();
/** How often the queue is checked for streams that no longer count because their reader has fallen behind. */
const CHECK_EVERY_MS = 200;
/** How long a reservation of capacity among several servers counts. */
const RESERVATION_MS = 200;

/**
 * Admission control for speech streams. Admits as many streams as the workers can synthesize in real time, based
 * on the measured cost of each engine. Other streams are queued, and rejected after a time limit.
 *
 * A stream counts while it is being synthesized, and while its client reads in real time. A stream whose client has
 * fallen behind does not count. The queue is fair between accounts: the account with the least load comes first. While
 * another account exceeds its fair share, the first stream of an account does not wait for it, and further streams
 * within its own share wait only for streams that need the workers now.
 */
export class Capacity {
  /** Number of worker processes. */
  workers: number;
  readonly #settings: CapacitySettings;
  readonly #costs = new EngineCosts();
  readonly #streams = new Set<StreamLoad>();
  /** In order of arrival. */
  readonly #queue = new Set<QueuedStream>();
  #checkTimer: NodeJS.Timeout | undefined;
  /** What this server may still admit of the capacity that it shares, and until when. */
  #reservation = { load: 0, untilMs: Number.NEGATIVE_INFINITY };

  constructor(settings: CapacitySettings) {
    this.#settings = settings;
    this.workers = settings.workers ?? 1;
  }

  /** Records the worker time that audio of an engine took. */
  recordCost(engine: string, cost: { readonly audioSeconds: number; readonly workSeconds: number }): void {
    this.#costs.record(engine, cost);
  }

  /** Utilisation of the worker pool by the streams that count; 1 is full. Without the streams of other servers. */
  get utilisation(): number {
    return this.#load(({ isCounted }) => isCounted) / this.workers;
  }

  /** Worker seconds per second that the streams of this server need, by account name. */
  loads(): ReadonlyMap<string, number> {
    const loads = new Map<string, number>();
    for (const { accountId, engine, isCounted } of this.#streams)
      if (isCounted) loads.set(accountId, (loads.get(accountId) ?? 0) + this.#costs.of(engine));
    return loads;
  }

  /** Worker seconds per second that this server may admit beside its streams, as announced to the other servers. */
  get reserved(): number {
    return this.#reservation.untilMs > this.#now() ? this.#reservation.load : 0;
  }

  /** Number of open streams. */
  get streamCount(): number {
    return this.#streams.size;
  }

  /** Number of streams that wait for capacity. */
  get queueLength(): number {
    return this.#queue.size;
  }

  /**
   * Resolves when there is capacity for the stream. Rejects with `queue_full` (429) after the time limit. The caller
   * must release the load when the stream has ended; the signal releases it too, for a body that is never read.
   */
  async admit(given: StreamRequest, signal: AbortSignal): Promise<StreamLoad> {
    signal.throwIfAborted();
    const request = { ...given, accountId: this.#nameOf(given.accountId) };
    let load: StreamLoad | undefined;
    const startedAtMs = performance.now();
    await new Promise<void>((resolve, reject) => {
      const endWait = (settlePromise: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        this.#queue.delete(queued);
        this.#settings.observer?.waited((performance.now() - startedAtMs) / 1000);
        settlePromise();
      };
      const queued: QueuedStream = {
        ...request,
        admit: () => {
          load = this.#open(request, { isStarting: true, signal });
          this.#reservation.load = Math.max(0, this.#reservation.load - this.#costs.of(request.engine));
          endWait(resolve);
        },
      };
      const leave = (error: unknown) => {
        endWait(() => reject(error));
        this.#admitQueued();
      };
      const onAbort = () => leave(signal.reason);
      const timer = setTimeout(() => leave(this.#refuse()), this.#settings.waitMs);
      signal.addEventListener('abort', onAbort);
      this.#queue.add(queued);
      this.#admitQueued();
    });
    // Set by `admit` of the queued stream, the only way in which the promise resolves.
    return load!;
  }

  /** The load of a live session, which counts only while it is being synthesized. It has no admission of its own. */
  openLive(accountId: string): StreamLoad {
    return this.#open({ engine: '', accountId: this.#nameOf(accountId) }, { isStarting: false });
  }

  #now(): number {
    return this.#settings.now?.() ?? performance.now();
  }

  #nameOf(accountId: string): string {
    return this.#settings.sharing?.accountNameOf(accountId) ?? accountId;
  }

  #open(
    { engine, accountId }: StreamRequest,
    { isStarting, signal }: { readonly isStarting: boolean; readonly signal?: AbortSignal },
  ): StreamLoad {
    const release = () => load.release();
    const load = new StreamLoad({
      engine,
      accountId,
      isStarting,
      slowReaderMs: this.#settings.slowReaderMs ?? 0,
      now: () => this.#now(),
      recordCost: (name, cost) => {
        this.#costs.record(name, cost);
        this.#settings.observer?.synthesized(name, cost);
      },
      onDecrease: () => this.#admitQueued(),
      onRelease: () => {
        // The signal of an audiobook outlives thousands of streams.
        signal?.removeEventListener('abort', release);
        this.#streams.delete(load);
      },
    });
    signal?.addEventListener('abort', release, { once: true });
    this.#streams.add(load);
    return load;
  }

  /** Worker seconds per second that the given streams need. */
  #load(isIncluded: (stream: StreamLoad) => boolean): number {
    let workerSeconds = 0;
    for (const stream of this.#streams) {
      if (isIncluded(stream)) workerSeconds += this.#costs.of(stream.engine);
    }
    return workerSeconds;
  }

  /** Admits queued streams while there is capacity. A stream that does not fit is not overtaken by a cheaper one. */
  #admitQueued(): void {
    for (let next = this.#nextQueued(); next !== undefined; next = this.#nextQueued()) {
      if (!this.#hasCapacityFor(next)) break;
      next.admit();
    }
    if (this.#queue.size === 0) {
      clearInterval(this.#checkTimer);
      this.#checkTimer = undefined;
    } else {
      this.#checkTimer ??= setInterval(() => this.#admitQueued(), CHECK_EVERY_MS).unref();
    }
  }

  /** The oldest queued stream of the account with the least load. */
  #nextQueued(): QueuedStream | undefined {
    const [oldest] = this.#queue;
    if (this.#queue.size <= 1) return oldest;
    const loads = this.#loadByAccount();
    let next: { readonly queued: QueuedStream; readonly load: number } | undefined;
    for (const queued of this.#queue) {
      const load = loads.get(queued.accountId) ?? 0;
      if (next === undefined || load < next.load) next = { queued, load };
    }
    return next?.queued;
  }

  /** The first stream is always admitted, even if it cannot be synthesized in real time. */
  #hasCapacityFor({ engine, accountId }: StreamRequest): boolean {
    const limit = this.#settings.utilisationMax * this.workers;
    const cost = this.#costs.of(engine);
    const others = sum(this.#otherLoads().values());
    const counted = this.#load(({ isCounted }) => isCounted) + others;
    if (counted === 0) return true;
    if (counted + cost <= limit) return this.#isReserved(cost, limit - counted);
    const loads = this.#loadByAccount();
    const share = limit / loads.size;
    const load = loads.get(accountId) ?? 0;
    const heaviest = Math.max(...loads.values());
    const hasOtherMore = heaviest > share && heaviest > load + cost + EPSILON;
    // The accounts beside the heaviest fit into the limit: the load is at most twice the limit.
    if (!hasOtherMore || counted - heaviest + cost > limit) return false;
    if (load === 0) return true;
    // Of the streams of other servers it is not known which are urgent.
    return load + cost <= share && this.#load(({ isUrgent }) => isUrgent) + others + cost <= limit;
  }

  /**
   * Whether this server may admit a stream of the free capacity. Servers see each other's streams only with the next
   * report, so each reserves its part of what is free, at least one stream, and announces that first. What others have
   * announced is not free. Without other servers everything is.
   */
  #isReserved(cost: number, free: number): boolean {
    const { sharing } = this.#settings;
    if (sharing === undefined || sharing.otherCount === 0) return true;
    const nowMs = this.#now();
    if (nowMs >= this.#reservation.untilMs) {
      const unreserved = free - sharing.reservedByOthers();
      if (unreserved + EPSILON < cost) return false;
      const load = Math.max(cost, unreserved / (1 + sharing.otherCount));
      this.#reservation = { load, untilMs: nowMs + RESERVATION_MS };
      sharing.announce(this.loads(), load);
    }
    return this.#reservation.load + EPSILON >= cost;
  }

  /** The loads of the accounts that share the capacity: those with streams that count, and those in the queue. */
  #loadByAccount(): Map<string, number> {
    const loads = new Map<string, number>();
    for (const { accountId } of this.#queue) loads.set(accountId, 0);
    for (const part of [this.loads(), this.#otherLoads()])
      for (const [accountId, load] of part) loads.set(accountId, (loads.get(accountId) ?? 0) + load);
    return loads;
  }

  #otherLoads(): ReadonlyMap<string, number> {
    return this.#settings.sharing?.otherLoads() ?? NO_LOADS;
  }

  /** Counts a refusal and returns its error. */
  #refuse(): ApiError {
    this.#settings.observer?.refused('queue_full');
    return new ApiError('queue_full', 'The server has no capacity for another real-time speech stream.', {
      retryAfterSeconds: Math.max(1, Math.round(this.#settings.waitMs / 10_000)),
    });
  }
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
