import { ApiError } from '../../errors.ts';
import type { PieceEvent } from './piece-synthesizer.ts';

export interface CapacitySettings {
  /** Number of worker processes; 1 until it is known. */
  readonly workers?: number;
  /** Maximum utilisation of the workers by streams, 0 to 1. The rest is a reserve for variations in cost. */
  readonly utilisationMax: number;
  /** Maximum time in the admission queue. */
  readonly waitMs: number;
}

interface QueuedStream {
  readonly engine: string;
  readonly admit: () => void;
}

/** Worker time spent on audio, and the duration of that audio; both decay exponentially. */
interface EngineCost {
  workSeconds: number;
  audioSeconds: number;
}

/** Prior for an engine without measurements. It has the weight of 2 seconds of audio. */
const INITIAL_COST: Readonly<EngineCost> = { workSeconds: 0.2, audioSeconds: 2 };
/** The weight of a measurement halves after this much audio. */
const HALF_LIFE_SECONDS = 60;

/**
 * Admission control for speech streams. Admits as many streams as the workers can synthesize in real time, based
 * on the measured cost of each engine. Other streams are queued, and rejected after a time limit.
 */
export class Capacity {
  /** Number of worker processes. */
  workers: number;
  readonly #settings: CapacitySettings;
  readonly #costs = new Map<string, EngineCost>();
  readonly #streams = new Map<string, number>();
  readonly #queue = new Set<QueuedStream>();

  constructor(settings: CapacitySettings) {
    this.#settings = settings;
    this.workers = settings.workers ?? 1;
  }

  /** Records the worker time that audio of an engine took. */
  recordCost(engine: string, { audioSeconds, workSeconds }: Readonly<EngineCost>): void {
    const cost = this.#costs.get(engine) ?? { ...INITIAL_COST };
    const decay = 0.5 ** (audioSeconds / HALF_LIFE_SECONDS);
    cost.workSeconds = cost.workSeconds * decay + workSeconds;
    cost.audioSeconds = cost.audioSeconds * decay + audioSeconds;
    this.#costs.set(engine, cost);
  }

  /** Utilisation of the worker pool by the admitted streams; 1 is full. */
  get utilisation(): number {
    let workerSeconds = 0;
    for (const [engine, count] of this.#streams) workerSeconds += count * this.#costOf(engine);
    return workerSeconds / this.workers;
  }

  /**
   * Resolves when there is capacity for the stream, first come, first served. Rejects with `queue_full` (429) after
   * the time limit. The caller must call the returned function when the stream has ended.
   */
  async admit(engine: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#queue.size > 0 || !this.#hasCapacityFor(engine)) await this.#wait(engine, signal);
    else this.#count(engine, 1);
    let isAdmitted = true;
    return () => {
      if (!isAdmitted) return;
      isAdmitted = false;
      this.#release(engine);
    };
  }

  /** Passes the events of an admitted stream through, records its cost and releases its capacity at its end. */
  async *track(events: AsyncIterable<PieceEvent>, release: () => void): AsyncGenerator<PieceEvent> {
    try {
      for await (const event of events) {
        if (event.kind === 'audio') this.#recordEvent(event);
        yield event;
      }
    } finally {
      release();
    }
  }

  /** Like `track`, for a live stream: it occupies capacity only while one of its pieces is being delivered. */
  async *trackLive(events: AsyncIterable<PieceEvent>): AsyncGenerator<PieceEvent> {
    let countedEngine: string | undefined;
    const uncount = () => {
      if (countedEngine !== undefined) this.#release(countedEngine);
      countedEngine = undefined;
    };
    try {
      for await (const event of events) {
        if (event.kind === 'audio') {
          this.#recordEvent(event);
          if (countedEngine === undefined) this.#count(event.plan.engine, 1);
          countedEngine ??= event.plan.engine;
        } else {
          uncount();
        }
        yield event;
      }
    } finally {
      uncount();
    }
  }

  #recordEvent({ part, plan }: PieceEvent & { readonly kind: 'audio' }): void {
    const { samples, sampleRateHz, workSeconds } = part;
    if (workSeconds !== undefined) {
      this.recordCost(plan.engine, { audioSeconds: samples.length / sampleRateHz, workSeconds });
    }
  }

  #release(engine: string): void {
    this.#count(engine, -1);
    this.#admitQueued();
  }

  #costOf(engine: string): number {
    const { workSeconds, audioSeconds } = this.#costs.get(engine) ?? INITIAL_COST;
    return workSeconds / audioSeconds;
  }

  /** The first stream is always admitted, even if it cannot be synthesized in real time. */
  #hasCapacityFor(engine: string): boolean {
    return (
      this.#streams.size === 0 ||
      this.utilisation + this.#costOf(engine) / this.workers <= this.#settings.utilisationMax
    );
  }

  #count(engine: string, change: 1 | -1): void {
    const count = (this.#streams.get(engine) ?? 0) + change;
    if (count === 0) this.#streams.delete(engine);
    else this.#streams.set(engine, count);
  }

  #wait(engine: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const endWait = (settlePromise: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        this.#queue.delete(queued);
        settlePromise();
      };
      const queued: QueuedStream = { engine, admit: () => endWait(resolve) };
      const onAbort = () => {
        endWait(() => reject(signal.reason));
        this.#admitQueued();
      };
      const timer = setTimeout(() => {
        endWait(() => reject(this.#queueFullError()));
        this.#admitQueued();
      }, this.#settings.waitMs);
      signal.addEventListener('abort', onAbort);
      this.#queue.add(queued);
    });
  }

  #admitQueued(): void {
    for (const queued of this.#queue) {
      if (!this.#hasCapacityFor(queued.engine)) return;
      this.#count(queued.engine, 1);
      queued.admit();
    }
  }

  #queueFullError(): ApiError {
    return new ApiError('queue_full', 'The server has no capacity for another real-time speech stream.', {
      retryAfterSeconds: Math.max(1, Math.round(this.#settings.waitMs / 10_000)),
    });
  }
}
