import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { HealthReport } from '../../api/schemas/server/health.ts';
import { warmEncoders } from '../../audio/encode/create-encoder.ts';
import type { Config } from '../../config/config.ts';
import { VERSION } from '../../config/package-info.ts';
import type { ZeroShotEngine } from '../../domain/engines/zero-shot-engine.ts';
import { Capacity } from '../../domain/speech/capacity/capacity.ts';
import { EngineSelector } from '../../domain/speech/engine-selector.ts';
import { FailingTexts } from '../../domain/speech/failing-texts.ts';
import type { SpeechRequest, SpeechService } from '../../domain/speech/speech-service.ts';
import { SpeechSynthesizer } from '../../domain/speech/speech-synthesizer.ts';
import type { Watermarks } from '../../domain/speech/watermarks.ts';
import type { VoiceCatalogue } from '../../domain/voices/catalogue/voice-catalogue.ts';
import type { WorkerStatus } from '../../inference/runtime/process/supervisor.ts';
import type { ServerMetrics } from '../../infrastructure/metrics/server-metrics.ts';
import type { Logger } from '../../logger.ts';
import { describeModels, describeWorkers } from '../health-report.ts';
import type { SpeechBackend } from './speech-backend.ts';

/** When a server that listens warms up, unless a request has come. */
const WARM_UP_AFTER_MS = 300;

/** Maximum wait for the start of the workers, which takes longer only when models have to be fetched. */
const LAUNCH_MS = 100;

export interface SpeechRuntimeDeps {
  readonly logger: Logger;
  readonly backend: SpeechBackend;
  readonly voices: VoiceCatalogue;
  /** The installed zero-shot engines in order of preference. */
  readonly zeroShotEngines?: readonly ZeroShotEngine[];
  /** Absent: no watermarks. */
  readonly watermarks?: Pick<Watermarks, 'markFor'>;
  readonly metrics?: ServerMetrics | undefined;
  /** Whether other work with deadlines needs a core of the workers. Default: no. */
  readonly isCoreNeeded?: (() => boolean) | undefined;
}

/** The service of speech synthesis on its workers. */
export class SpeechRuntime {
  readonly speech: SpeechService;
  readonly #synthesizer: SpeechSynthesizer;
  /** Resolves when the default engine is ready; rejects when its models cannot be loaded. */
  readonly ready: Promise<void>;
  readonly #logger: Logger;
  readonly #backend: SpeechBackend;
  readonly #capacity: Capacity;
  /** Resolves when the workers load their engines. */
  readonly #launched: Promise<void>;
  #reportLaunched = () => {};
  #isClosed = false;

  /** Starts to fetch models and to start workers. */
  constructor(config: Config, deps: SpeechRuntimeDeps) {
    const { logger, backend, voices, zeroShotEngines, watermarks, metrics } = deps;
    this.#logger = logger;
    this.#backend = backend;
    this.#launched = new Promise((resolve) => {
      this.#reportLaunched = resolve;
    });
    this.#capacity = new Capacity({
      utilisationMax: config.speechLoadMax,
      waitMs: config.queueSeconds * 1000,
      slowReaderMs: config.slowReaderSeconds * 1000,
      sharing: backend.sharing,
      observer: metrics && {
        ...metrics.queue('capacity'),
        synthesized: (engine, cost) => metrics.synthesized(engine, cost),
      },
    });
    backend.sharing?.start({
      loads: () => this.#capacity.loads(),
      reserved: () => this.#capacity.reserved,
    });
    this.#synthesizer = new SpeechSynthesizer({
      workers: backend.workers,
      voices,
      engines: new EngineSelector({
        overrides: config.wireModels,
        bestKokoro: () => backend.bestKokoro(),
        zeroShotEngines: zeroShotEngines ?? [],
      }),
      prepareEngine: (engine, language, signal) => backend.prepareEngine(engine, language, signal),
      capacity: this.#capacity,
      failingTexts: new FailingTexts({ rememberMs: config.failingTextSeconds * 1000 }),
      watermarkOf: watermarks && ((accountId) => watermarks.markFor(accountId)),
      settings: config,
      isCoreNeeded: deps.isCoreNeeded,
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
    const workers = this.#backend.status();
    const { isReady } = this.#backend;
    const areAllReady = workers.length > 0 && workers.every((worker) => worker.state === 'ready');
    return {
      status: areAllReady ? 'ok' : isReady ? 'degraded' : 'loading',
      live: true,
      ready: isReady,
      version: VERSION,
      models: describeModels(this.#backend.models()),
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
    return this.#backend.status();
  }

  /** Loads an engine in advance. */
  prepare(engine: string, signal: AbortSignal): void {
    this.#backend.preload(engine, signal);
  }

  /** Waits for a moment until the workers load their engines, so that work in this process does not delay them. */
  async launch(): Promise<void> {
    await Promise.race([this.#launched, delay(LAUNCH_MS)]);
    await nextTurn();
  }

  /** Warms up when the engine is ready. Does nothing when a request is there, which would wait for it. */
  async warmUp(): Promise<void> {
    const isReady = this.ready.then(
      () => true,
      () => false,
    );
    await delay(WARM_UP_AFTER_MS, undefined, { ref: false });
    if (!(await isReady) || this.#isClosed) return;
    const { streams, queued, awaitingFirstAudio } = this.load();
    if (streams + queued + awaitingFirstAudio > 0) return;
    await this.#warmUp().catch((error: unknown) => {
      // A stop ends the workers.
      if (!this.#isClosed) this.#logger.error({ err: error }, 'the warm-up request failed');
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#backend.close();
  }

  async #start(): Promise<void> {
    await this.#backend.start((count) => {
      this.#capacity.workers = count;
      this.#reportLaunched();
    });
  }

  /** Compiles the codecs and synthesizes one request, so that the first client does not wait for just-in-time compilation. */
  async #warmUp(): Promise<void> {
    await warmEncoders();
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
