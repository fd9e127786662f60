import type { ModelAdministration } from '../../api/dependencies.ts';
import type { ManagedModel, ModelJob } from '../../api/schemas/server/managed-model.ts';
import { ApiError } from '../../errors.ts';
import type { ModelStatus, ModelStore } from '../../inference/models/store/model-store.ts';

/** Maximum number of jobs that wait or run. */
const OPEN_JOBS_MAX = 20;
const PROBLEMS_MAX = 20;
const RETRY_AFTER_SECONDS = 30;

/** Downloads and verifications that administrators start, one after the other. */
export class ModelJobs implements ModelAdministration {
  readonly #store: ModelStore;
  /** The last job of each model. */
  readonly #jobs = new Map<string, ModelJob>();
  readonly #closed = new AbortController();
  #last: Promise<void> = Promise.resolve();

  constructor(store: ModelStore) {
    this.#store = store;
  }

  async list(): Promise<readonly ManagedModel[]> {
    return (await this.#store.list()).map((status) => this.#describe(status));
  }

  async start(id: string, kind: ModelJob['kind']): Promise<ManagedModel> {
    const status = (await this.#store.list()).find(({ model }) => model.id === id);
    if (status === undefined) throw new ApiError('model_not_found', `There is no model “${id}”.`);
    if (!isOpen(this.#jobs.get(id))) this.#enqueue(id, kind);
    return this.#describe(status);
  }

  /** Aborts the downloads. A later pull resumes them. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#last;
  }

  #enqueue(id: string, kind: ModelJob['kind']): void {
    if ([...this.#jobs.values()].filter(isOpen).length >= OPEN_JOBS_MAX) {
      throw new ApiError('model_jobs_full', `${OPEN_JOBS_MAX} downloads and verifications are waiting.`, {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    this.#jobs.set(id, { kind, state: 'waiting', problems: [] });
    this.#last = this.#last.then(() => this.#run(id, kind));
  }

  async #run(id: string, kind: ModelJob['kind']): Promise<void> {
    const set = (job: Omit<ModelJob, 'kind' | 'problems'> & Partial<Pick<ModelJob, 'problems'>>) =>
      this.#jobs.set(id, { problems: [], ...job, kind });
    set({ state: 'running' });
    try {
      this.#closed.signal.throwIfAborted();
      if (kind === 'verify') {
        const problems = (await this.#store.verify(id)).flatMap((result) => result.problems);
        set({ state: 'finished', problems: problems.slice(0, PROBLEMS_MAX) });
        return;
      }
      await this.#store.ensure(id, {
        signal: this.#closed.signal,
        onProgress: (progress) => {
          if (progress.phase !== 'fetching') return;
          const { doneBytes, totalBytes } = progress;
          set({
            state: 'running',
            received_bytes: doneBytes,
            ...(totalBytes !== undefined && { total_bytes: totalBytes }),
          });
        },
      });
      set({ state: 'finished' });
    } catch (error) {
      set({ state: 'failed', message: error instanceof Error ? error.message : String(error) });
    }
  }

  #describe({ model, state, sizeBytes, installedAt }: ModelStatus): ManagedModel {
    return {
      id: model.id,
      title: model.title,
      task: model.task,
      languages: [...model.languages],
      licence: model.licence,
      is_default: model.isDefault,
      state,
      size_bytes: sizeBytes ?? null,
      installed_at: installedAt ?? null,
      job: this.#jobs.get(model.id) ?? null,
    };
  }
}

function isOpen(job: ModelJob | undefined): boolean {
  return job?.state === 'waiting' || job?.state === 'running';
}
