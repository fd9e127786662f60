import { setTimeout as delay } from 'node:timers/promises';
import type { Utterance } from '../../../domain/engines/tts-engine.ts';
import type {
  MeasuredSpeechPart,
  SpeakOptions,
  SpeechWorkers,
} from '../../../domain/speech/speech-workers.ts';
import { ApiError } from '../../../errors.ts';
import { startSpan } from '../../../tracing/tracing.ts';
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

/** The processes that a pool starts. */
export interface PoolStart {
  readonly count: number;
  readonly settings: WorkerSettings;
  /** Engines that every worker loads at start. */
  readonly warmEngines: readonly string[];
}

export interface PoolOptions {
  readonly policy: Pick<SupervisionPolicy, 'startTimeoutMs' | 'memoryMaxBytes'> & Partial<SupervisionPolicy>;
  /** Maximum wait of a request for a ready worker. */
  readonly waitForWorkerMs: number;
  readonly onEvent: SupervisionEvent;
  /** Called when a process has ended and is to be replaced. */
  readonly onRestart?: (() => void) | undefined;
  /** Path of the entry module of a worker process. Default: the engines. */
  readonly entry?: string | undefined;
}

/**
 * At the start, the other processes begin shortly after the first is ready, or after this time: with all at once on few
 * cores, the first request would wait for all of them.
 */
const FIRST_PROCESS_ALONE_MS = 3000;
/** Time for the first audio of a request that has waited for the first process. */
const FIRST_AUDIO_MS = 300;

/** Extra pending text up to which a stream stays with its worker: about two pieces. */
const WORKER_AFFINITY_CHARACTERS = 300;

/** The speech worker processes. A stream is assigned to the worker with the least pending text. */
export class SpeechPool implements SpeechWorkers {
  readonly #options: PoolOptions;
  readonly #waiting = new SlotQueue();
  readonly #lastWorkers = new WeakMap<object, SpeechProcess>();
  #supervisors: readonly Supervisor<SpeechProcess>[] = [];
  /** Engines that every process loads at its start. */
  readonly #warmEngines: string[] = [];
  readonly #closed = new AbortController();

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /**
   * Starts the processes; resolves when the first one is ready, or the pool is closed. A process that does not start
   * is replaced, without a limit on the number of attempts.
   */
  async start({ count, settings, warmEngines }: PoolStart): Promise<void> {
    const { signal } = this.#closed;
    if (signal.aborted) return;
    this.#warmEngines.push(...warmEngines);
    const { policy, onEvent, onRestart, entry } = this.#options;
    const startProcess = async () => {
      signal.throwIfAborted();
      return SpeechProcess.start(settings, { startTimeoutMs: policy.startTimeoutMs, entry });
    };
    const othersMayBegin = this.#waiting
      .wait(() => this.#leastBusy(), { signal, timeoutMs: FIRST_PROCESS_ALONE_MS })
      .then(() => delay(FIRST_AUDIO_MS));
    this.#supervisors = Array.from(
      { length: count },
      (_, index) =>
        new Supervisor({
          startProcess: index === 0 ? startProcess : () => othersMayBegin.then(startProcess),
          policy: { ...DEFAULT_POLICY, ...policy },
          warmEngines: this.#warmEngines,
          onEvent,
          onReady: () => this.#waiting.notifyAll(),
          onRestart,
        }),
    );
    await this.#waiting.wait(() => this.#leastBusy(), { signal });
  }

  async *speak(
    engine: string,
    utterance: Utterance,
    options: SpeakOptions,
  ): AsyncGenerator<MeasuredSpeechPart> {
    const span = startSpan('dispatch', { attributes: { 'mynah.engine': engine } });
    try {
      const worker = this.#choose(options.stream) ?? (await this.#waitForWorker(options.signal));
      this.#lastWorkers.set(options.stream, worker);
      yield* worker.speak(engine, utterance, { ...options, span });
    } catch (error) {
      span.fail(error);
      throw error;
    } finally {
      span.end();
    }
  }

  /** Loads an engine in the least busy worker. Errors surface in the request that needs the engine. */
  async preload(engine: string): Promise<void> {
    await this.#leastBusy()
      ?.load(engine)
      .catch(() => {});
  }

  /** Loads an engine in every worker, one after the other, and in those that start later. */
  async warm(engine: string): Promise<void> {
    this.#warmEngines.push(engine);
    for (const { worker } of this.#supervisors) await worker?.load(engine);
  }

  /** Whether at least one worker is ready. */
  get isReady(): boolean {
    return this.#leastBusy() !== undefined;
  }

  status(): readonly WorkerStatus[] {
    return this.#supervisors.map((supervisor) => supervisor.status());
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await Promise.all(this.#supervisors.map((supervisor) => supervisor.stop()));
  }

  /**
   * The stream's worker, unless another is much less busy: a second worker for a stream that one can serve would
   * only delay other streams.
   */
  #choose(stream: object): SpeechProcess | undefined {
    const best = this.#leastBusy();
    const last = this.#lastWorkers.get(stream);
    const isAvailable = last !== undefined && this.#supervisors.some(({ worker }) => worker === last);
    if (best === undefined || !isAvailable) return best;
    return last.pendingCharacters <= best.pendingCharacters + WORKER_AFFINITY_CHARACTERS ? last : best;
  }

  #leastBusy(): SpeechProcess | undefined {
    let best: SpeechProcess | undefined;
    for (const { worker } of this.#supervisors) {
      if (worker && (best === undefined || worker.pendingCharacters < best.pendingCharacters)) best = worker;
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
