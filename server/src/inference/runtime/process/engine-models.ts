import { ApiError } from '../../../errors.ts';
import { ModelStoreError } from '../../models/files/model-store-error.ts';
import type { ModelProgress, ProgressListener } from '../../models/store/model-progress.ts';
import type { ModelStore } from '../../models/store/model-store.ts';

/** What is known of a model an engine needs. */
export interface ModelState {
  readonly id: string;
  readonly state: 'loading' | 'ready' | 'failed';
  readonly doneBytes?: number;
  readonly totalBytes?: number;
  /** Why it could not be had. */
  readonly message?: string;
}

const RETRY_AFTER_SECONDS = 15;

/** Brings the models of engines when they are first asked for, each once however many ask. */
export class EngineModels {
  readonly #store: ModelStore;
  readonly #onProgress: ProgressListener;
  readonly #waitMs: number;
  readonly #installs = new Map<string, Promise<void>>();
  readonly #states = new Map<string, ModelState>();

  constructor(options: {
    readonly store: ModelStore;
    readonly onProgress: ProgressListener;
    /** How long a request waits for models before it is told to come back. */
    readonly waitMs: number;
  }) {
    this.#store = options.store;
    this.#onProgress = options.onProgress;
    this.#waitMs = options.waitMs;
  }

  /** Every model asked for so far. */
  status(): readonly ModelState[] {
    return [...this.#states.values()];
  }

  /** Installs models by their ids. A failed install is tried again by the next call. */
  async install(ids: readonly string[]): Promise<void> {
    // One after the other: the progress of one download at a time is easier to follow, and as fast.
    for (const id of ids) await this.#installOnce(id);
  }

  /** Like `install`, but a client is told to come back when it takes long or fails. */
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
      throw new ApiError('engine_unavailable', `A model this takes is missing. ${error.message}`, {
        cause: error,
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
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
      await this.#store.ensure(id, { onProgress: (progress) => this.#note(progress) });
      this.#states.set(id, { id, state: 'ready' });
    } catch (error) {
      this.#states.set(id, { id, state: 'failed', message: (error as Error).message });
      throw error;
    }
  }

  #note(progress: ModelProgress): void {
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
    return new ApiError(
      'engine_unavailable',
      `The models of this voice are still being fetched${progress}.`,
      {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      },
    );
  }
}
