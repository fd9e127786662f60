import type { SpeechPart, Utterance } from '../engines/engine.ts';

/** What a worker is told once, before anything else. */
export interface WorkerSettings {
  readonly modelsRoot: string;
  readonly assetsRoot: string;
  /** The folder of Piper voices that the operator keeps, when there is one. */
  readonly piperFolder?: string | undefined;
  /** Threads one inference may use. */
  readonly threads: number;
}

/** Parent to worker. */
export type WorkerRequest =
  | { readonly type: 'start'; readonly settings: WorkerSettings }
  | { readonly type: 'load'; readonly id: number; readonly engine: string }
  | {
      readonly type: 'speak';
      readonly id: number;
      readonly engine: string;
      readonly utterance: Utterance;
      /** When a listener needs the first of this audio, in milliseconds since the epoch. The earliest goes first. */
      readonly dueAtMs: number;
    }
  | { readonly type: 'cancel'; readonly id: number }
  | { readonly type: 'ping'; readonly id: number };

/**
 * Worker to parent. For each `speak` any number of `audio`, then exactly one `done` or `failed`; for each
 * `load` one `done` or `failed`; a cancelled job is answered too, with `done`.
 */
export type WorkerResponse =
  | { readonly type: 'ready' }
  | { readonly type: 'audio'; readonly id: number; readonly part: SpeechPart }
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
