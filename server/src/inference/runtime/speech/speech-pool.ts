import type { Utterance } from '../../../domain/engines/tts-engine.ts';
import type { SpeakOptions, SpeechWorkers, SpokenPart } from '../../../domain/speech/speech-workers.ts';
import { ApiError } from '../../../errors.ts';
import type { WorkerSettings } from '../process/messages.ts';
import { SlotQueue } from '../process/slot-queue.ts';
import {
  DEFAULT_POLICY,
  type SupervisionEvent,
  type SupervisionPolicy,
  Supervisor,
  type WorkerStatus,
} from '../process/supervisor.ts';
import { SpeechProcess } from './speech-process.ts';

/** Which processes a pool starts. */
export interface PoolStart {
  readonly count: number;
  readonly settings: WorkerSettings;
  /** Engines every worker loads first. */
  readonly warmEngines: readonly string[];
}

export interface PoolOptions {
  readonly policy: Pick<SupervisionPolicy, 'startTimeoutMs' | 'memoryMaxBytes'> & Partial<SupervisionPolicy>;
  /** How long a request waits for a worker when none is ready. */
  readonly waitForWorkerMs: number;
  readonly onEvent: SupervisionEvent;
}

/** How much more text a stream's own worker may have before it: about two pieces. */
const LOYALTY_LETTERS = 300;

/** All worker processes. A stream goes to the one with the least text before it. */
export class SpeechPool implements SpeechWorkers {
  readonly #options: PoolOptions;
  readonly #waiting = new SlotQueue();
  readonly #lastWorkers = new WeakMap<object, SpeechProcess>();
  #supervisors: readonly Supervisor<SpeechProcess>[] = [];
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Starts the processes; resolves when the first of them takes work. */
  async start({ count, settings, warmEngines }: PoolStart): Promise<void> {
    if (this.#isClosed) return;
    const { policy, onEvent } = this.#options;
    this.#supervisors = Array.from(
      { length: count },
      () =>
        new Supervisor({
          startProcess: () => SpeechProcess.start(settings, policy),
          policy: { ...DEFAULT_POLICY, ...policy },
          warmEngines,
          onEvent,
          onReady: () => this.#waiting.wake(),
        }),
    );
    await this.#waitForWorker(AbortSignal.timeout(this.#options.policy.startTimeoutMs));
  }

  async *speak(engine: string, utterance: Utterance, options: SpeakOptions): AsyncGenerator<SpokenPart> {
    const worker = this.#choose(options.stream) ?? (await this.#waitForWorker(options.signal));
    this.#lastWorkers.set(options.stream, worker);
    yield* worker.speak(engine, utterance, options);
  }

  /** Loads an engine where the next stream will go. Should that fail, the stream that needs it tells. */
  async getReady(engine: string): Promise<void> {
    await this.#leastBusy()
      ?.load(engine)
      .catch(() => {});
  }

  /** Whether at least one worker takes work now. */
  get isReady(): boolean {
    return this.#leastBusy() !== undefined;
  }

  status(): readonly WorkerStatus[] {
    return this.#supervisors.map((supervisor) => supervisor.status());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#supervisors.map((supervisor) => supervisor.stop()));
  }

  /**
   * The stream's worker, unless another is much less busy: two workers at a stream that one can feed would
   * only take turns from other listeners.
   */
  #choose(stream: object): SpeechProcess | undefined {
    const best = this.#leastBusy();
    const last = this.#lastWorkers.get(stream);
    const isStillThere = last !== undefined && this.#supervisors.some(({ worker }) => worker === last);
    if (best === undefined || !isStillThere) return best;
    return last.pendingLetters <= best.pendingLetters + LOYALTY_LETTERS ? last : best;
  }

  #leastBusy(): SpeechProcess | undefined {
    let best: SpeechProcess | undefined;
    for (const { worker } of this.#supervisors) {
      if (worker && (best === undefined || worker.pendingLetters < best.pendingLetters)) best = worker;
    }
    return best;
  }

  async #waitForWorker(signal: AbortSignal): Promise<SpeechProcess> {
    const timeoutMs = this.#options.waitForWorkerMs;
    const worker = await this.#waiting.wait(() => this.#leastBusy(), { signal, timeoutMs });
    if (worker !== undefined) return worker;
    signal.throwIfAborted();
    throw new ApiError('engine_unavailable', 'No speech worker is ready. Try again in a few seconds.', {
      retryAfterSeconds: 5,
    });
  }
}
