import type { SourceKind } from '../catalogue/model.ts';

/** What happens while a model is being installed. */
export type ModelProgress = { readonly modelId: string } & (
  | {
      /** Another process installs this model; its result will be used. */
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
      /** A source failed and the next one is tried. */
      readonly phase: 'source_failed';
      readonly source: SourceKind;
      readonly reason: string;
    }
  | { readonly phase: 'installed' }
);

/** Takes progress as it happens, many times a second. Must not throw. */
export type ProgressListener = (progress: ModelProgress) => void;
