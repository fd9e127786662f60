import { availableParallelism } from 'node:os';
import type { HealthReport } from '../api/schemas/health.ts';
import { warmEncoders } from '../audio/encode/create-encoder.ts';
import type { Config } from '../config/config.ts';
import { ASSETS_FOLDER, VERSION } from '../config/package-info.ts';
import type { ZeroShotEngine } from '../domain/engines/zero-shot-engine.ts';
import { Capacity } from '../domain/speech/capacity/capacity.ts';
import { EngineSelector } from '../domain/speech/engine-selector.ts';
import { FailingTexts } from '../domain/speech/failing-texts.ts';
import type { SpeechRequest, SpeechService } from '../domain/speech/speech-service.ts';
import { SpeechSynthesizer } from '../domain/speech/speech-synthesizer.ts';
import type { Watermarks } from '../domain/speech/watermarks.ts';
import type { VoiceCatalogue } from '../domain/voices/catalogue/voice-catalogue.ts';
import { modelsFor } from '../inference/engines/registry.ts';
import type { ModelStore } from '../inference/models/store/model-store.ts';
import { createProgressDisplay } from '../inference/models/store/progress-display.ts';
import {
  chooseDecoder,
  type DecoderChoice,
  type KokoroEngineName,
} from '../inference/runtime/machine/decoder-choice.ts';
import {
  candidateThreadCounts,
  chooseThreads,
  type ThreadChoice,
} from '../inference/runtime/machine/thread-choice.ts';
import { EngineModels } from '../inference/runtime/process/engine-models.ts';
import type { WorkerSettings } from '../inference/runtime/process/messages.ts';
import type { WorkerStatus } from '../inference/runtime/process/supervisor.ts';
import { SpeechPool } from '../inference/runtime/speech/speech-pool.ts';
import type { ServerMetrics } from '../infrastructure/metrics/server-metrics.ts';
import type { Logger } from '../logger.ts';
import { describeModels, describeWorkers } from './health-report.ts';

const DEFAULT_ENGINE: KokoroEngineName = 'kokoro-fast';
/** More workers only take memory: two cores already serve dozens of streams. */
const AUTOMATIC_WORKERS_MAX = 4;

export interface SpeechRuntimeDeps {
  readonly logger: Logger;
  readonly store: ModelStore;
  readonly voices: VoiceCatalogue;
  /** The installed zero-shot engines in order of preference. */
  readonly zeroShotEngines?: readonly ZeroShotEngine[];
  /** Absent: no watermarks. */
  readonly watermarks?: Pick<Watermarks, 'markFor'>;
  readonly metrics?: ServerMetrics | undefined;
}

/** Models, worker processes and the service of speech synthesis. */
export class SpeechRuntime {
  readonly speech: SpeechService;
  readonly #synthesizer: SpeechSynthesizer;
  /** Resolves when the default engine is ready; rejects when its models cannot be loaded. */
  readonly ready: Promise<void>;
  readonly #config: Config;
  readonly #logger: Logger;
  readonly #models: EngineModels;
  readonly #pool: SpeechPool;
  readonly #workerSettings: Omit<WorkerSettings, 'threads'>;
  readonly #capacity: Capacity;
  readonly #progress = createProgressDisplay(process.stderr);
  #bestKokoro: KokoroEngineName = DEFAULT_ENGINE;
  #isClosed = false;

  /** Starts to fetch models and to warm up workers. */
  constructor(config: Config, deps: SpeechRuntimeDeps) {
    const { logger, store, voices, zeroShotEngines, watermarks, metrics } = deps;
    const waitMs = config.engineWaitSeconds * 1000;
    this.#config = config;
    this.#logger = logger;
    this.#models = new EngineModels({ store, onProgress: this.#progress.show, waitMs });
    this.#workerSettings = {
      modelsRoot: config.modelsFolder,
      assetsRoot: ASSETS_FOLDER,
      piperFolder: config.piperVoicesFolder,
    };
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
    this.#capacity = new Capacity({
      utilisationMax: config.speechLoadMax,
      waitMs: config.queueSeconds * 1000,
      slowReaderMs: config.slowReaderSeconds * 1000,
      observer: metrics && {
        ...metrics.queue('capacity'),
        synthesized: (engine, cost) => metrics.synthesized(engine, cost),
      },
    });
    this.#synthesizer = new SpeechSynthesizer({
      workers: this.#pool,
      voices,
      engines: new EngineSelector({
        overrides: config.wireModels,
        bestKokoro: () => this.#bestKokoro,
        zeroShotEngines: zeroShotEngines ?? [],
      }),
      prepareEngine: (engine, language, signal) => this.#models.prepare(modelsFor(engine, language), signal),
      capacity: this.#capacity,
      failingTexts: new FailingTexts({ rememberMs: config.failingTextSeconds * 1000 }),
      watermarkOf: watermarks && ((accountId) => watermarks.markFor(accountId)),
      settings: config,
      observer: metrics && {
        firstAudio: (stream) => metrics.firstAudio(stream),
        refused: (code) => metrics.queue('first_audio').refused(code),
      },
    });
    this.speech = this.#synthesizer;
    this.ready = this.#start().catch((error: unknown) => {
      // A stop during the start ends the workers that the start waits for.
      if (!this.#isClosed) throw error;
    });
    // The failure also reaches those who await `ready`, and the health report.
    this.ready.catch((error: unknown) => logger.error({ err: error }, 'the default engine cannot start'));
  }

  health(): HealthReport {
    const workers = this.#pool.status();
    const isReady = this.#pool.isReady;
    const areAllReady = workers.length > 0 && workers.every((worker) => worker.state === 'ready');
    return {
      status: areAllReady ? 'ok' : isReady ? 'degraded' : 'loading',
      live: true,
      ready: isReady,
      version: VERSION,
      models: describeModels(this.#models.status()),
      workers: describeWorkers(workers),
    };
  }

  /** The load of the speech workers at this moment. */
  load() {
    return {
      streams: this.#capacity.streamCount,
      utilisation: this.#capacity.utilisation,
      queued: this.#capacity.queueLength,
      awaitingFirstAudio: this.#synthesizer.queueLength,
    };
  }

  workers(): readonly WorkerStatus[] {
    return this.#pool.status();
  }

  /** Loads an engine in advance. */
  prepare(engine: string, signal: AbortSignal): void {
    this.#models
      .prepare(modelsFor(engine, 'en-US'), signal)
      .then(() => this.#pool.preload(engine))
      .catch(() => {}); // Errors surface in the request that needs the engine.
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pool.close();
  }

  /**
   * Rejects when the models of the default engine cannot be installed. Nothing else ends the start: workers that do not
   * start are replaced, while the server answers 503 and reports `loading`.
   */
  async #start(): Promise<void> {
    await warmEncoders();
    await this.#models.install(modelsFor(DEFAULT_ENGINE, 'en-US'));
    this.#progress.finish();
    if (this.#isClosed) return;
    const { workers, threads } = await this.#chooseWorkersAndThreads();
    this.#capacity.workers = workers;
    const settings = { ...this.#workerSettings, threads };
    const choice = await this.#chooseDecoder(settings);
    this.#logger.info({ ...choice, workers, threads }, 'workers and S2 decoder selected');
    this.#bestKokoro = choice.engine;
    if (this.#isClosed) return;
    const warmEngines = [...new Set([DEFAULT_ENGINE, choice.engine])];
    await this.#pool.start({ count: workers, settings, warmEngines });
    if (this.#isClosed) return;
    await this.#warmUp().catch((error: unknown) =>
      this.#logger.error({ err: error }, 'the warm-up request failed'),
    );
  }

  async #chooseDecoder(
    settings: WorkerSettings,
  ): Promise<Pick<DecoderChoice, 'engine'> & Partial<DecoderChoice>> {
    try {
      return await chooseDecoder({
        settings,
        startTimeoutMs: this.#config.workerStartTimeoutSeconds * 1000,
        realTimeFactorMax: this.#config.stockDecoderMaxRtf,
        cacheFolder: this.#config.modelsFolder,
      });
    } catch (error) {
      this.#logger.error({ err: error }, 'the S2 decoder cannot be measured; the fast decoder is used');
      return { engine: DEFAULT_ENGINE };
    }
  }

  /** Workers and threads from the settings. A value of 0 is derived from the other, or measured when both are 0. */
  async #chooseWorkersAndThreads(): Promise<ThreadChoice> {
    const { workers, threads, workerStartTimeoutSeconds, modelsFolder } = this.#config;
    const cores = availableParallelism();
    const workersMax = AUTOMATIC_WORKERS_MAX;
    if (workers > 0) return { workers, threads: threads || Math.max(1, Math.floor(cores / workers)) };
    if (threads > 0) return { workers: Math.min(cores, workersMax), threads };
    try {
      return await chooseThreads({
        ...{ cores, workersMax, engine: DEFAULT_ENGINE, settings: this.#workerSettings },
        startTimeoutMs: workerStartTimeoutSeconds * 1000,
        cacheFolder: modelsFolder,
      });
    } catch (error) {
      this.#logger.error({ err: error }, 'thread counts cannot be measured; the default is used');
      const [choice] = candidateThreadCounts(cores, workersMax);
      return choice ?? { workers: 1, threads: cores };
    }
  }

  /** Synthesizes one request, so that the first client does not wait for just-in-time compilation. */
  async #warmUp(): Promise<void> {
    const { body } = await this.speech.speak(WARM_UP_REQUEST, new AbortController().signal);
    for await (const _ of body);
  }
}

/** A request with default parameters. The account is never a default: it determines the watermark. */
export const DEFAULT_SPEECH_REQUEST: Omit<SpeechRequest, 'accountId'> = {
  requestId: '',
  text: '',
  model: 's1',
  voice: undefined,
  format: 'mp3',
  sampleRateHz: undefined,
  mp3BitrateKbps: 128,
  opusBitrateBps: 'auto',
  speed: 1,
  volumeDb: 0,
  normalizeLoudness: true,
  normalize: true,
  chunkLength: 300,
  minChunkLength: 50,
  latency: 'normal',
  conditionOnPreviousChunks: true,
  temperature: 0.7,
  seed: undefined,
  language: undefined,
};

/** The account of speech that is made for no account, and has no watermark. */
export const NO_ACCOUNT = '';

const WARM_UP_REQUEST: SpeechRequest = {
  ...DEFAULT_SPEECH_REQUEST,
  accountId: NO_ACCOUNT,
  text: 'Hello! It is 3:15 on May 4th, and I am ready to speak.',
};
