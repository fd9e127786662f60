import { ApiError } from '../../../errors.ts';
import { ModelStoreError } from '../../models/files/model-store-error.ts';
import type { ModelProgress, ProgressListener } from '../../models/store/model-progress.ts';
import type { ModelStore } from '../../models/store/model-store.ts';

/** The state of a model that an engine needs. */
export interface EngineModelStatus {
  readonly id: string;
  readonly state: 'loading' | 'ready' | 'failed';
  readonly doneBytes?: number;
  readonly totalBytes?: number;
  /** The reason of a failure. */
  readonly message?: string;
}

const RETRY_AFTER_SECONDS = 15;

/** Installs the models of engines on the first request. Concurrent requests share one installation. */
export class EngineModels {
  readonly #store: ModelStore;
  readonly #onProgress: ProgressListener;
  readonly #onFailure: (modelId: string, error: unknown) => void;
  readonly #waitMs: number;
  readonly #installs = new Map<string, Promise<void>>();
  readonly #states = new Map<string, EngineModelStatus>();

  constructor(options: {
    readonly store: ModelStore;
    readonly onProgress: ProgressListener;
    /** Called with the reason of a failed installation, which has paths and addresses: clients do not receive it. */
    readonly onFailure: (modelId: string, error: unknown) => void;
    /** Maximum wait of a request for models, before it fails with `engine_unavailable`. */
    readonly waitMs: number;
  }) {
    this.#store = options.store;
    this.#onProgress = options.onProgress;
    this.#onFailure = options.onFailure;
    this.#waitMs = options.waitMs;
  }

  /** All models that were requested so far. */
  status(): readonly EngineModelStatus[] {
    return [...this.#states.values()];
  }

  /** Installs models by id. A failed installation is retried by the next call. */
  async install(ids: readonly string[]): Promise<void> {
    // Sequentially: as fast as in parallel, and the progress is easier to follow.
    for (const id of ids) await this.#installOnce(id);
  }

  /** Like `install`, but fails with `engine_unavailable` and a retry time after `waitMs` or on an error. */
  async prepare(ids: readonly string[], signal: AbortSignal): Promise<void> {
    if (ids.every((id) => this.#states.get(id)?.state === 'ready')) return;
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(this.#stillLoading()), this.#waitMs);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    try {
      await Promise.race([this.install(ids), timeout]);
    } catch (error) {
      if (!(error instanceof ModelStoreError)) throw error;
      throw new ApiError(
        'engine_unavailable',
        'A required model cannot be installed. The log of the server has the reason.',
        { cause: error, retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
    } finally {
      clearTimeout(timer);
    }
  }

  #installOnce(id: string): Promise<void> {
    let install = this.#installs.get(id);
    if (install === undefined) {
      install = this.#install(id).finally(() => this.#installs.delete(id));
      this.#installs.set(id, install);
    }
    return install;
  }

  async #install(id: string): Promise<void> {
    if (this.#states.get(id)?.state === 'ready') return;
    this.#states.set(id, { id, state: 'loading' });
    try {
      await this.#store.ensure(id, { onProgress: (progress) => this.#recordProgress(progress) });
      this.#states.set(id, { id, state: 'ready' });
    } catch (error) {
      this.#states.set(id, { id, state: 'failed', message: (error as Error).message });
      this.#onFailure(id, error);
      throw error;
    }
  }

  #recordProgress(progress: ModelProgress): void {
    const { modelId: id } = progress;
    if (progress.phase === 'fetching') {
      const { doneBytes, totalBytes } = progress;
      this.#states.set(id, {
        id,
        state: 'loading',
        doneBytes,
        ...(totalBytes !== undefined && { totalBytes }),
      });
    }
    this.#onProgress(progress);
  }

  #stillLoading(): ApiError {
    const shares = this.status()
      .filter((model) => model.state === 'loading' && model.totalBytes)
      .map((model) => `${model.id} ${Math.floor((100 * model.doneBytes!) / model.totalBytes!)} %`);
    const progress = shares.length > 0 ? ` (${shares.join(', ')})` : '';
    return new ApiError('engine_unavailable', `The required models are still being downloaded${progress}.`, {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
}
