import type { Config } from '../../config/config.ts';
import { modelsFor } from '../../inference/engines/registry.ts';
import type { ModelStore } from '../../inference/models/store/model-store.ts';
import { createProgressDisplay } from '../../inference/models/store/progress-display.ts';
import {
  chooseDecoder,
  type DecoderChoice,
  type DecoderChoiceOptions,
  findDecoderChoice,
  type KokoroEngineName,
} from '../../inference/runtime/machine/decoder-choice.ts';
import type { EngineModelStatus, EngineModels } from '../../inference/runtime/process/engine-models.ts';
import type { WorkerSettings } from '../../inference/runtime/process/messages.ts';
import type { WorkerStatus } from '../../inference/runtime/process/supervisor.ts';
import { SpeechPool } from '../../inference/runtime/speech/speech-pool.ts';
import type { ServerMetrics } from '../../infrastructure/metrics/server-metrics.ts';
import type { Logger } from '../../logger.ts';
import { createEngineModels } from '../create-engine-models.ts';
import { DEFAULT_ENGINE, type SpeechBackend } from './speech-backend.ts';
import { speechWorkerSettings } from './speech-worker-settings.ts';

export interface LocalSpeechDeps {
  readonly logger: Logger;
  readonly store: ModelStore;
  readonly metrics?: ServerMetrics | undefined;
}

/** Models and speech worker processes of this machine. */
export class LocalSpeech implements SpeechBackend {
  readonly #config: Config;
  readonly #logger: Logger;
  readonly #models: EngineModels;
  readonly #pool: SpeechPool;
  readonly #progress = createProgressDisplay(process.stderr);
  #bestKokoro: KokoroEngineName = DEFAULT_ENGINE;
  #isClosed = false;

  constructor(config: Config, { logger, store, metrics }: LocalSpeechDeps) {
    const waitMs = config.engineWaitSeconds * 1000;
    this.#config = config;
    this.#logger = logger;
    this.#models = createEngineModels({ store, progress: this.#progress, logger, waitMs });
    this.#pool = new SpeechPool({
      policy: {
        startTimeoutMs: config.workerStartTimeoutSeconds * 1000,
        memoryMaxBytes: config.workerMemoryMb * 2 ** 20,
        stepTimeoutMs: config.engineStepMaxSeconds * 1000,
      },
      waitForWorkerMs: waitMs,
      onEvent: (event, facts, level = 'info') => logger[level](facts, event),
      onRestart: metrics && (() => metrics.workerRestarted('speech')),
    });
  }

  get workers(): SpeechPool {
    return this.#pool;
  }

  get isReady(): boolean {
    return this.#pool.isReady;
  }

  bestKokoro(): KokoroEngineName {
    return this.#bestKokoro;
  }

  prepareEngine(...[engine, language, signal]: Parameters<SpeechBackend['prepareEngine']>): Promise<void> {
    return this.#models.prepare(modelsFor(engine, language), signal);
  }

  preload(engine: string, signal: AbortSignal): void {
    this.#models
      .prepare(modelsFor(engine, 'en-US'), signal)
      .then(() => this.#pool.preload(engine))
      .catch(() => {}); // Errors surface in the request that needs the engine.
  }

  status(): readonly WorkerStatus[] {
    return this.#pool.status();
  }

  models(): readonly EngineModelStatus[] {
    return this.#models.status();
  }

  /**
   * Rejects when the models of the default engine cannot be installed. Nothing else ends the start: workers that do not
   * start are replaced, while the server answers 503 and reports `loading`.
   */
  async start(onProcesses: (count: number) => void): Promise<void> {
    await this.#models.install(modelsFor(DEFAULT_ENGINE, 'en-US'));
    this.#progress.finish();
    if (this.#isClosed) return;
    const { workers, settings } = speechWorkerSettings(this.#config);
    const choice = await this.#findDecoderChoice(settings);
    this.#bestKokoro = choice?.engine ?? DEFAULT_ENGINE;
    this.#logger.info({ ...choice, workers, threads: settings.threads }, 'workers and S2 decoder selected');
    if (this.#isClosed) return;
    const warmEngines = [...new Set([DEFAULT_ENGINE, this.#bestKokoro])];
    const started = this.#pool.start({ count: workers, settings, warmEngines });
    onProcesses(workers);
    await started;
    if (choice === undefined) void this.#measureStockDecoder(settings);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pool.close();
  }

  /** The decoder that an earlier start has chosen. Undefined: the machine was not measured, or a model is missing. */
  async #findDecoderChoice(settings: WorkerSettings): Promise<DecoderChoice | undefined> {
    try {
      const choice = await findDecoderChoice(this.#decoderOptions(settings));
      if (choice !== undefined) await this.#models.install(modelsFor(choice.engine, 'en-US'));
      return choice;
    } catch {
      return undefined;
    }
  }

  /** Fetches and measures the stock decoder, once per machine, beside the running server: most machines do not use it. */
  async #measureStockDecoder(settings: WorkerSettings): Promise<void> {
    try {
      await this.#models.install(modelsFor('kokoro-stock', 'en-US'));
      this.#progress.finish();
      if (this.#isClosed) return;
      const choice = await chooseDecoder(this.#decoderOptions(settings));
      this.#logger.info(choice, 'S2 decoder selected');
      if (choice.engine === DEFAULT_ENGINE || this.#isClosed) return;
      await this.#pool.warm(choice.engine);
      this.#bestKokoro = choice.engine;
    } catch (error) {
      if (this.#isClosed) return;
      this.#logger.warn({ err: error }, 'the S2 decoder cannot be measured; the fast decoder is used');
    }
  }

  #decoderOptions(settings: WorkerSettings): DecoderChoiceOptions {
    return {
      settings,
      startTimeoutMs: this.#config.workerStartTimeoutSeconds * 1000,
      realTimeFactorMax: this.#config.stockDecoderMaxRtf,
      cacheFolder: this.#config.modelsFolder,
    };
  }
}
