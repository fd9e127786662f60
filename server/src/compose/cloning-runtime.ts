import type { HealthReport } from '../api/schemas/server/health.ts';
import type { Config } from '../config/config.ts';
import { ASSETS_FOLDER } from '../config/package-info.ts';
import type { CloningJob } from '../domain/voices/cloning/cloning-job.ts';
import type { VoiceGenerator } from '../domain/voices/design/voice-designer.ts';
import type { ClipReader } from '../domain/voices/intake/clip-reader.ts';
import type { VoiceCloner } from '../domain/voices/voice-cloner.ts';
import { SPEAKER_EMBEDDING } from '../inference/engines/asr-registry.ts';
import { isMemoryAmple } from '../inference/engines/kokoro/cloning/search-memory.ts';
import { modelsFor } from '../inference/engines/registry.ts';
import { ECAPA_MODEL } from '../inference/engines/speaker-embedding/ecapa-model.ts';
import type { ModelStore } from '../inference/models/store/model-store.ts';
import { createProgressDisplay } from '../inference/models/store/progress-display.ts';
import { SPEAKERS_ENGINE } from '../inference/runtime/cloning/cloning-host.ts';
import { CloningPool } from '../inference/runtime/cloning/cloning-pool.ts';
import type { EngineModels } from '../inference/runtime/process/engine-models.ts';
import type { ServerFfmpegSlots } from '../inference/runtime/process/ffmpeg-slots.ts';
import { OptionalModel } from '../inference/runtime/process/optional-model.ts';
import type { WorkerStatus } from '../inference/runtime/process/supervisor.ts';
import type { ServerMetrics } from '../infrastructure/metrics/server-metrics.ts';
import type { Logger } from '../logger.ts';
import { createEngineModels } from './create-engine-models.ts';
import { describeModels, describeWorkers } from './health-report.ts';

/** A refinement does without an optional model whose download takes longer. */
const OPTIONAL_MODEL_WAIT_MS = 600_000;

export interface CloningRuntimeDeps {
  readonly logger: Logger;
  readonly store: ModelStore;
  /** Absent: no limit. */
  readonly ffmpegSlots?: ServerFfmpegSlots;
  readonly metrics?: ServerMetrics | undefined;
}

/** Models and worker processes of voice cloning, voice design and the decoding of recordings. They are loaded with the first job. */
export class CloningRuntime {
  readonly cloner: Pick<CloningPool, 'engine'> & Required<VoiceCloner> & VoiceGenerator & ClipReader;
  readonly #pool: CloningPool;
  readonly #models: EngineModels;
  readonly #ecapa: OptionalModel;
  readonly #progress = createProgressDisplay(process.stderr);

  constructor(config: Config, { logger, store, ffmpegSlots, metrics }: CloningRuntimeDeps) {
    const waitMs = config.engineWaitSeconds * 1000;
    this.#models = createEngineModels({ store, progress: this.#progress, logger, waitMs });
    this.#ecapa = new OptionalModel(ECAPA_MODEL, {
      store,
      onProgress: this.#progress.show,
      onFailure: (reason) => logger.warn({ model: ECAPA_MODEL, reason }, 'optional_model_missing'),
      waitMs: Math.min(OPTIONAL_MODEL_WAIT_MS, (config.voiceTrainingMaxSeconds * 1000) / 2),
    });
    this.#pool = new CloningPool({
      engine: config.cloningEngine,
      count: 1,
      settings: {
        modelsRoot: config.modelsFolder,
        assetsRoot: ASSETS_FOLDER,
        threads: config.cloningThreads,
      },
      policy: {
        startTimeoutMs: config.workerStartTimeoutSeconds * 1000,
        memoryMaxBytes: config.workerMemoryMb * 2 ** 20,
      },
      waitForWorkerMs: waitMs,
      idleMs: config.cloningIdleSeconds * 1000,
      // Decoding needs no models.
      prepare: async (job, signal) => (job.kind === 'read' ? undefined : this.#prepare(job, signal)),
      ffmpegSlots,
      onEvent: (event, facts, level = 'info') => logger[level](facts, event),
      onRestart: metrics && (() => metrics.workerRestarted('cloning')),
      onJobEnd: metrics && ((job, seconds) => reportJob(metrics, job, seconds)),
    });
    this.cloner = this.#pool;
  }

  /** The events of a job. */
  readonly run: CloningPool['run'] = (job, options) => this.#pool.run(job, options);

  /** Starts loading in advance, while a recording is being read. */
  prepare(signal: AbortSignal): void {
    this.#pool.preload(signal);
  }

  workerStatus(): readonly WorkerStatus[] {
    return this.#pool.status();
  }

  /** Models and workers for the health report. */
  health(): Pick<HealthReport, 'models' | 'workers'> {
    return {
      models: describeModels(this.#models.status()),
      workers: describeWorkers(this.#pool.status(), 'cloning-'),
    };
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  async #prepare(job: CloningJob, signal: AbortSignal): Promise<void> {
    const engines = [SPEAKERS_ENGINE, this.#pool.engine].flatMap((engine) => modelsFor(engine, 'en-US'));
    await this.#models.prepare([...new Set([...engines, ...SPEAKER_EMBEDDING.models])], signal);
    await this.#prepareEcapa(job, signal);
    this.#progress.finish();
  }

  /** Clones without it are less similar. Refinements wait for it; a client waits for a first voice, so that does not. */
  async #prepareEcapa(job: CloningJob, signal: AbortSignal): Promise<void> {
    if (job.kind !== 'clone' || job.engine === 'vits' || !isMemoryAmple()) return;
    if (isRefinement(job)) await this.#ecapa.prepare(signal);
    else this.#ecapa.start();
  }
}

/** Loading in advance is not a job of a client. */
function reportJob(metrics: ServerMetrics, job: CloningJob, seconds: number): void {
  if (job.kind === 'preload') return;
  metrics.cloned(isRefinement(job) ? 'refine' : job.kind, seconds);
}

function isRefinement(job: CloningJob): job is CloningJob & { readonly kind: 'clone' } {
  return job.kind === 'clone' && job.from !== undefined;
}
