import type { SourceKind } from '../catalogue/model.ts';

/** Progress of an installation. */
export type ModelProgress = { readonly modelId: string } & (
  | {
      /** Another process is installing this model. */
      readonly phase: 'waiting';
      readonly holderPid: number;
    }
  | {
      readonly phase: 'fetching';
      readonly source: SourceKind;
      readonly doneBytes: number;
      readonly totalBytes: number | undefined;
    }
  | {
      /** A source failed, and the next one follows. */
      readonly phase: 'source_failed';
      readonly source: SourceKind;
      readonly reason: string;
    }
  | { readonly phase: 'installed' }
);

/** Called many times per second. Must not throw. */
export type ProgressListener = (progress: ModelProgress) => void;
