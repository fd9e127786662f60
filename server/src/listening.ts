import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Config } from './config.ts';
import { findAsrEngine, VOICE_ACTIVITY, VOICE_PRINT } from './engines/asr-registry.ts';
import { describeModels, describeWorkers } from './health-report.ts';
import type { HearingJob, HearingWorkers } from './hearing/hearing-job.ts';
import type { HealthReport } from './http/schemas/health.ts';
import type { Logger } from './logger.ts';
import type { ModelStore } from './models/model-store.ts';
import { createProgressDisplay } from './models/progress.ts';
import { EngineModels } from './workers/engine-models.ts';
import { HearingPool } from './workers/hearing-pool.ts';

const ASSETS = fileURLToPath(new URL('../../assets', import.meta.url));

export interface ListeningDeps {
  readonly logger: Logger;
  readonly store: ModelStore;
}

/** The hearing half of the server: models and worker processes. Nothing of it runs before the first job. */
export class Listening {
  readonly workers: HearingWorkers;
  readonly #pool: HearingPool;
  readonly #models: EngineModels;
  readonly #progress = createProgressDisplay(process.stderr);

  constructor(config: Config, { logger, store }: ListeningDeps) {
    const waitMs = config.engineWaitSeconds * 1000;
    this.#models = new EngineModels({ store, onProgress: this.#progress.show, waitMs });
    this.#pool = new HearingPool({
      count: config.hearingWorkers,
      settings: {
        modelsRoot: config.modelsFolder,
        assetsRoot: ASSETS,
        threads: config.hearingThreads || Math.max(1, Math.floor(availableParallelism() / 2)),
      },
      policy: {
        startTimeoutMs: config.workerStartTimeoutSeconds * 1000,
        memoryMaxBytes: config.workerMemoryMb * 2 ** 20,
      },
      waitForWorkerMs: waitMs,
      idleMs: config.hearingIdleSeconds * 1000,
      prepare: (job, signal) => this.#prepare(job, signal),
      onEvent: (event, facts) => logger.info(facts, event),
    });
    this.workers = this.#pool;
    if (config.hearingAtStart) this.#pool.start();
  }

  /** What the health page shows of the models and the processes that hear. */
  health(): Pick<HealthReport, 'models' | 'workers'> {
    return {
      models: describeModels(this.#models.status()),
      workers: describeWorkers(this.#pool.status(), 'hearing-'),
    };
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  async #prepare(job: HearingJob, signal: AbortSignal): Promise<void> {
    const ids = [
      ...VOICE_ACTIVITY.models,
      ...(job.hasVoicePrints ? VOICE_PRINT.models : []),
      ...job.engines.flatMap((name) => findAsrEngine(name).models),
    ];
    await this.#models.prepare(ids, signal);
    this.#progress.finish();
  }
}
