/** What a worker is told once, before anything else. */
export interface WorkerSettings {
  readonly modelsRoot: string;
  readonly assetsRoot: string;
  /** The folder of Piper voices that the operator keeps, when there is one. */
  readonly piperFolder?: string | undefined;
  /** Threads one inference may use. */
  readonly threads: number;
}

/** Parent to worker. A worker does one kind of job; some jobs are fed while they run. */
export type WorkerRequest<Job, Input> =
  | { readonly type: 'start'; readonly settings: WorkerSettings }
  | { readonly type: 'load'; readonly id: number; readonly engine: string }
  | { readonly type: 'job'; readonly id: number; readonly job: Job }
  | { readonly type: 'input'; readonly id: number; readonly input: Input }
  | { readonly type: 'input-end'; readonly id: number }
  | { readonly type: 'cancel'; readonly id: number }
  | { readonly type: 'ping'; readonly id: number };

/**
 * Worker to parent. For each `job` any number of `event`, then exactly one `done` or `failed`; for each `load`
 * one `done` or `failed`; a cancelled job is answered too, with `done`, once it has let go of the process.
 */
export type WorkerResponse<Event> =
  | { readonly type: 'ready' }
  | { readonly type: 'event'; readonly id: number; readonly event: Event }
  | { readonly type: 'done'; readonly id: number }
  | { readonly type: 'failed'; readonly id: number; readonly failure: WorkerFailure }
  | {
      readonly type: 'pong';
      readonly id: number;
      readonly memoryBytes: number;
      readonly engines: readonly string[];
    };

/** An error as it crosses the process border; `code` is set for those a client may see. */
export interface WorkerFailure {
  readonly code: string | undefined;
  readonly message: string;
}
