import { availableParallelism } from 'node:os';
import type { HealthReport } from '../api/schemas/server/health.ts';
import type { Config } from '../config/config.ts';
import { ASSETS_FOLDER } from '../config/package-info.ts';
import type { AsrTask, AsrWorkers } from '../domain/transcription/pipeline/asr-task.ts';
import { findAsrEngine, SPEAKER_EMBEDDING, VOICE_ACTIVITY } from '../inference/engines/asr-registry.ts';
import type { ModelStore } from '../inference/models/store/model-store.ts';
import { createProgressDisplay } from '../inference/models/store/progress-display.ts';
import type { EngineModels } from '../inference/runtime/process/engine-models.ts';
import type { ServerFfmpegSlots } from '../inference/runtime/process/ffmpeg-slots.ts';
import type { WorkerStatus } from '../inference/runtime/process/supervisor.ts';
import { TranscriptionPool } from '../inference/runtime/transcription/transcription-pool.ts';
import type { ServerMetrics } from '../infrastructure/metrics/server-metrics.ts';
import type { Logger } from '../logger.ts';
import { createEngineModels } from './create-engine-models.ts';
import { describeModels, describeWorkers } from './health-report.ts';

export interface TranscriptionRuntimeDeps {
  readonly logger: Logger;
  readonly store: ModelStore;
  /** Absent: no limit. */
  readonly ffmpegSlots?: ServerFfmpegSlots;
  readonly metrics?: ServerMetrics | undefined;
  /** Maximum wait of a job for a download of models. Absent: `engineWaitSeconds`. */
  readonly modelsWaitMs?: number;
}

/** Models and worker processes of transcription. They are loaded with the first job. */
export class TranscriptionRuntime {
  readonly workers: AsrWorkers;
  readonly #pool: TranscriptionPool;
  readonly #models: EngineModels;
  readonly #progress = createProgressDisplay(process.stderr);

  constructor(
    config: Config,
    { logger, store, ffmpegSlots, metrics, modelsWaitMs }: TranscriptionRuntimeDeps,
  ) {
    const waitMs = config.engineWaitSeconds * 1000;
    this.#models = createEngineModels({
      store,
      progress: this.#progress,
      logger,
      waitMs: modelsWaitMs ?? waitMs,
    });
    this.#pool = new TranscriptionPool({
      count: config.transcriptionWorkers,
      liveCount: config.liveTranscriptionWorkers,
      settings: {
        modelsRoot: config.modelsFolder,
        assetsRoot: ASSETS_FOLDER,
        threads: config.transcriptionThreads || Math.max(1, Math.floor(availableParallelism() / 2)),
      },
      policy: {
        startTimeoutMs: config.workerStartTimeoutSeconds * 1000,
        memoryMaxBytes: config.workerMemoryMb * 2 ** 20,
      },
      waitForWorkerMs: waitMs,
      idleMs: config.transcriptionIdleSeconds * 1000,
      prepare: (job, signal) => this.#prepare(job, signal),
      ffmpegSlots,
      onEvent: (event, facts, level = 'info') => logger[level](facts, event),
      onRestart: metrics && (() => metrics.workerRestarted('transcription')),
    });
    this.workers = this.#pool;
    if (config.transcriptionAtStart) this.#pool.start();
  }

  /** Whether live audio is being transcribed on this machine. */
  get isLive(): boolean {
    return this.#pool.isLive;
  }

  workerStatus(): readonly WorkerStatus[] {
    return this.#pool.status();
  }

  /** Models and workers for the health report. The prefix of the worker ids is part of the API. */
  health(): Pick<HealthReport, 'models' | 'workers'> {
    return {
      models: describeModels(this.#models.status()),
      workers: describeWorkers(this.#pool.status(), 'transcription-'),
    };
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  async #prepare(job: AsrTask, signal: AbortSignal): Promise<void> {
    const ids = [
      ...VOICE_ACTIVITY.models,
      ...(job.wantsSpeakerEmbeddings ? SPEAKER_EMBEDDING.models : []),
      ...job.engines.flatMap((name) => findAsrEngine(name).models),
    ];
    await this.#models.prepare(ids, signal);
    this.#progress.finish();
  }
}
