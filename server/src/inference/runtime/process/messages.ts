import type { SpanRecord } from '../../../tracing/tracing.ts';
import type { SlotRequest } from './ffmpeg-slots.ts';

/** Settings of a worker process, sent once in the `start` message. */
export interface WorkerSettings {
  readonly modelsRoot: string;
  readonly assetsRoot: string;
  /** Folder of Piper voices added by the operator. */
  readonly piperFolder?: string | undefined;
  /** Threads per inference. */
  readonly threads: number;
}

/** Messages from the parent to a worker. A worker runs one type of job; some jobs receive input while they run. */
export type WorkerRequest<Job, Input> =
  | { readonly type: 'start'; readonly settings: WorkerSettings }
  | { readonly type: 'load'; readonly id: number; readonly engine: string }
  | {
      readonly type: 'job';
      readonly id: number;
      readonly job: Job;
      /** The worker records the spans of the job. */
      readonly isTraced?: true;
    }
  | { readonly type: 'input'; readonly id: number; readonly input: Input }
  | { readonly type: 'input-end'; readonly id: number }
  | { readonly type: 'cancel'; readonly id: number }
  | { readonly type: 'slot-granted'; readonly id: number }
  | { readonly type: 'ping'; readonly id: number };

/**
 * Messages from a worker to the parent. Each `job` gets any number of `event`, then exactly one `done` or `failed`, with
 * its `spans` before that if it is traced;
 * each `load` gets one `done` or `failed`; each `ping` gets one `pong`. A cancelled job gets its `done` when it has
 * stopped. Slot requests have ids of their own; each `slot-wanted` gets one `slot-granted` unless it is withdrawn.
 */
export type WorkerResponse<Event> =
  | { readonly type: 'ready' }
  | WorkerStep
  | { readonly type: 'event'; readonly id: number; readonly event: Event }
  | { readonly type: 'spans'; readonly id: number; readonly spans: readonly SpanRecord[] }
  | { readonly type: 'done'; readonly id: number }
  | { readonly type: 'failed'; readonly id: number; readonly failure: WorkerFailure }
  | {
      readonly type: 'pong';
      readonly id: number;
      readonly memoryBytes: number;
      readonly engines: readonly string[];
      /** Seconds that loading each of these engines took. */
      readonly loadSeconds: Readonly<Record<string, number>>;
    }
  | SlotRequest;

/** The worker begins a step of a job; undefined: it has no further step to run. Not every kind of worker reports steps. */
export interface WorkerStep {
  readonly type: 'step';
  readonly jobId: number | undefined;
}

/** A serialized error. `code` is set for errors that a client may see. */
export interface WorkerFailure {
  readonly code: string | undefined;
  readonly message: string;
}
