import type { ProgressListener } from '../../models/store/model-progress.ts';
import type { ModelStore } from '../../models/store/model-store.ts';
import { untilAborted } from './until-aborted.ts';

/** After a failure, no download is tried for this time: each attempt may wait for unreachable sources. */
const RETRY_AFTER_MS = 3_600_000;

/** A model that improves a result and is not required. */
export class OptionalModel {
  readonly #id: string;
  readonly #store: Pick<ModelStore, 'find' | 'ensure'>;
  readonly #onProgress: ProgressListener;
  readonly #onFailure: (message: string) => void;
  readonly #waitMs: number;
  readonly #now: () => number;
  #install: Promise<void> | undefined;
  #retryAtMs = 0;

  constructor(
    id: string,
    {
      store,
      onProgress,
      onFailure,
      waitMs,
      now = Date.now,
    }: {
      readonly store: Pick<ModelStore, 'find' | 'ensure'>;
      readonly onProgress: ProgressListener;
      readonly onFailure: (message: string) => void;
      /** Maximum wait for a download, which then goes on. */
      readonly waitMs: number;
      readonly now?: () => number;
    },
  ) {
    this.#id = id;
    this.#store = store;
    this.#onProgress = onProgress;
    this.#onFailure = onFailure;
    this.#waitMs = waitMs;
    this.#now = now;
  }

  /** Starts to install the model, for callers that do not wait for it. */
  start(): void {
    void this.#installOnce();
  }

  /** Installs the model, or returns without it. Concurrent calls share one download. Rejects only when `signal` is aborted. */
  async prepare(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const installed = this.#installOnce();
    const waitEnd = new AbortController();
    const timer = setTimeout(() => waitEnd.abort(), this.#waitMs);
    try {
      await untilAborted(installed, AbortSignal.any([signal, waitEnd.signal]));
    } catch (error) {
      signal.throwIfAborted();
      if (!waitEnd.signal.aborted) throw error;
      this.#onFailure('It is still being downloaded.');
    } finally {
      clearTimeout(timer);
    }
  }

  /** Never rejects. */
  #installOnce(): Promise<void> {
    this.#install ??= this.#installOrReport().finally(() => {
      this.#install = undefined;
    });
    return this.#install;
  }

  async #installOrReport(): Promise<void> {
    try {
      if ((await this.#store.find(this.#id)) !== undefined || this.#now() < this.#retryAtMs) return;
      await this.#store.ensure(this.#id, { onProgress: this.#onProgress });
    } catch (error) {
      this.#retryAtMs = this.#now() + RETRY_AFTER_MS;
      this.#onFailure(error instanceof Error ? error.message : String(error));
    }
  }
}
