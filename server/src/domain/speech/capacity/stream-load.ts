import type { Pcm } from '../../../audio/pcm.ts';
import type { PieceEvent } from '../piece-synthesizer.ts';
import { ReaderPace } from './reader-pace.ts';

export interface StreamLoadOptions {
  readonly engine: string;
  readonly accountId: string;
  /** Whether the stream counts before its first utterance. */
  readonly isStarting: boolean;
  readonly slowReaderMs: number;
  readonly now: () => number;
  readonly recordCost: (
    engine: string,
    cost: { readonly audioSeconds: number; readonly workSeconds: number },
  ) => void;
  /** Called when the stream may count less than before. */
  readonly onDecrease: () => void;
  readonly onRelease: () => void;
}

/** Audio in advance of playback below which a stream is urgent. */
const URGENT_BELOW_MS = 5000;

/** The load of one speech stream: whether it is being synthesized, and whether its client reads in real time. */
export class StreamLoad {
  /** The engine of the last utterance. */
  engine: string;
  readonly accountId: string;
  readonly #options: StreamLoadOptions;
  readonly #pace: ReaderPace;
  #isStarting: boolean;
  /** Utterances in the workers. */
  #utterances = 0;
  #isReleased = false;

  constructor(options: StreamLoadOptions) {
    this.engine = options.engine;
    this.accountId = options.accountId;
    this.#options = options;
    this.#isStarting = options.isStarting;
    this.#pace = new ReaderPace({ slowAfterMs: options.slowReaderMs });
  }

  /** Whether the stream occupies capacity. */
  get isCounted(): boolean {
    return this.#isSynthesizing || this.#pace.leadMs(this.#options.now()) >= 0;
  }

  /** Whether the stream needs the workers now: it is being synthesized, and its client has little audio in advance. */
  get isUrgent(): boolean {
    return this.#isSynthesizing && this.#pace.leadMs(this.#options.now()) < URGENT_BELOW_MS;
  }

  get #isSynthesizing(): boolean {
    return this.#isStarting || this.#utterances > 0;
  }

  /** Counts an utterance until the returned function is called. */
  beginUtterance(engine: string): () => void {
    this.engine = engine;
    this.#isStarting = false;
    this.#utterances++;
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      this.#utterances--;
      if (!this.#isReleased) this.#options.onDecrease();
    };
  }

  /** Passes events through and records the cost of their audio. */
  async *measure(events: AsyncIterable<PieceEvent>): AsyncGenerator<PieceEvent> {
    for await (const event of events) {
      this.#recordCost(event);
      yield event;
    }
  }

  /** Not a part of `measure`: a suspended generator keeps its variables, here the samples of a window. */
  #recordCost(event: PieceEvent): void {
    if (event.kind !== 'audio') return;
    const { samples, sampleRateHz, workSeconds } = event.part;
    const audioSeconds = samples.length / sampleRateHz;
    if (workSeconds !== undefined) this.#options.recordCost(event.plan.engine, { audioSeconds, workSeconds });
  }

  /**
   * Passes audio through at the pace of its reader, and releases the load at its end. Throws `slow_reader` when the
   * client reads far below real time for too long.
   */
  async *follow(audio: AsyncIterable<Pcm>): AsyncGenerator<Pcm> {
    try {
      for await (const pcm of audio) {
        this.#pace.offer(pcm.samples.length / pcm.sampleRateHz, this.#options.now());
        yield pcm;
        this.#pace.accept(this.#options.now());
      }
    } finally {
      this.release();
    }
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#options.onRelease();
    this.#options.onDecrease();
  }
}
