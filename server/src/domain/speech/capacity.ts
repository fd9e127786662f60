import { ApiError } from '../../errors.ts';
import type { PieceEvent } from './piece-synthesizer.ts';

export interface CapacitySettings {
  /** Processes that speak side by side; 1 until that is known. */
  readonly workers?: number;
  /** How much of their time streams may need; the rest is for what nobody foresees. */
  readonly utilisationMax: number;
  readonly waitMs: number;
}

interface Waiter {
  readonly engine: string;
  readonly admit: () => void;
}

/** What a second of audio took lately, and how much audio that was. */
interface EngineCost {
  workSeconds: number;
  audioSeconds: number;
}

/** Believed of an engine until it was heard; it counts for so many seconds of audio. */
const INITIAL_COST: Readonly<EngineCost> = { workSeconds: 0.2, audioSeconds: 2 };
/** After this much audio older measurements count for half. */
const HALF_LIFE_SECONDS = 60;

/**
 * Knows what a second of each engine's audio takes and how many streams are being spoken, and lets in no more of
 * them than the workers can keep in real time. What does not fit waits; when it waits too long, it is refused.
 */
export class Capacity {
  /** Processes that speak side by side. */
  workers: number;
  readonly #settings: CapacitySettings;
  readonly #measured = new Map<string, EngineCost>();
  readonly #streams = new Map<string, number>();
  readonly #waiting = new Set<Waiter>();

  constructor(settings: CapacitySettings) {
    this.#settings = settings;
    this.workers = settings.workers ?? 1;
  }

  /** Learns what audio of an engine took. */
  recordCost(engine: string, { audioSeconds, workSeconds }: Readonly<EngineCost>): void {
    const measured = this.#measured.get(engine) ?? { ...INITIAL_COST };
    const fading = 0.5 ** (audioSeconds / HALF_LIFE_SECONDS);
    measured.workSeconds = measured.workSeconds * fading + workSeconds;
    measured.audioSeconds = measured.audioSeconds * fading + audioSeconds;
    this.#measured.set(engine, measured);
  }

  /** The part of the workers' time that all streams need, where 1 is all of it. */
  get utilisation(): number {
    let load = 0;
    for (const [engine, count] of this.#streams) load += count * this.#costOf(engine);
    return load / this.workers;
  }

  /**
   * Waits until a stream can be spoken in real time beside the others, in the order of asking; rejects with 429
   * when that takes too long. The function it gives must be called when the last of the stream has been spoken.
   */
  async admit(engine: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#waiting.size > 0 || !this.#fits(engine)) await this.#wait(engine, signal);
    else this.#count(engine, 1);
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      this.#leave(engine);
    };
  }

  /** Passes on what is heard of a stream that has entered, learns from it what it took, and leaves with its end. */
  async *track(events: AsyncIterable<PieceEvent>, leave: () => void): AsyncGenerator<PieceEvent> {
    try {
      for await (const event of events) {
        if (event.kind === 'audio') this.#learn(event);
        yield event;
      }
    } finally {
      leave();
    }
  }

  /** The same for a stream that may be silent for hours: it counts while one of its pieces is heard. */
  async *trackLive(events: AsyncIterable<PieceEvent>): AsyncGenerator<PieceEvent> {
    let counted: string | undefined;
    const pause = () => {
      if (counted !== undefined) this.#leave(counted);
      counted = undefined;
    };
    try {
      for await (const event of events) {
        if (event.kind === 'audio') {
          this.#learn(event);
          if (counted === undefined) this.#count(event.plan.engine, 1);
          counted ??= event.plan.engine;
        } else {
          pause();
        }
        yield event;
      }
    } finally {
      pause();
    }
  }

  #learn({ part, plan }: PieceEvent & { readonly kind: 'audio' }): void {
    const { samples, sampleRateHz, workSeconds } = part;
    if (workSeconds !== undefined) {
      this.recordCost(plan.engine, { audioSeconds: samples.length / sampleRateHz, workSeconds });
    }
  }

  #leave(engine: string): void {
    this.#count(engine, -1);
    this.#admitWaiting();
  }

  #costOf(engine: string): number {
    const { workSeconds, audioSeconds } = this.#measured.get(engine) ?? INITIAL_COST;
    return workSeconds / audioSeconds;
  }

  /** A stream alone always fits: one that cannot be kept in real time is better than none. */
  #fits(engine: string): boolean {
    return (
      this.#streams.size === 0 || this.utilisation + this.#costOf(engine) / this.workers <= this.#settings.utilisationMax
    );
  }

  #count(engine: string, change: 1 | -1): void {
    const count = (this.#streams.get(engine) ?? 0) + change;
    if (count === 0) this.#streams.delete(engine);
    else this.#streams.set(engine, count);
  }

  #wait(engine: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        this.#waiting.delete(waiter);
        finish();
      };
      const waiter: Waiter = { engine, admit: () => settle(resolve) };
      const onAbort = () => {
        settle(() => reject(signal.reason));
        this.#admitWaiting();
      };
      const timer = setTimeout(() => {
        settle(() => reject(this.#refusal()));
        this.#admitWaiting();
      }, this.#settings.waitMs);
      signal.addEventListener('abort', onAbort);
      this.#waiting.add(waiter);
    });
  }

  #admitWaiting(): void {
    for (const waiter of this.#waiting) {
      if (!this.#fits(waiter.engine)) return;
      this.#count(waiter.engine, 1);
      waiter.admit();
    }
  }

  #refusal(): ApiError {
    return new ApiError('queue_full', 'More streams than this machine can speak in real time are waiting.', {
      retryAfterSeconds: Math.max(1, Math.round(this.#settings.waitMs / 10_000)),
    });
  }
}
