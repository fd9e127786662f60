import type { Model, ModelFile, SourceKind } from '../catalogue/model.ts';

/** What a source knows about a file beyond the catalogue, for files that are trusted on first use. */
export interface LearnedDigest {
  readonly sha256?: string;
  readonly gitBlobSha1?: string;
}

/** One model's missing files, to be fetched from one source. */
export interface FetchRequest {
  readonly model: Model;
  /** Only files that the source offers. */
  readonly files: readonly ModelFile[];
  /** The source's own folder for this model. What is left there survives a kill and may be resumed. */
  readonly workFolder: string;
  readonly signal: AbortSignal;
  /**
   * Hands over the complete file at `path`, which lies in the work folder. The store checks it and moves it
   * away; a wrong hash rejects, and the file is gone then too.
   */
  deliver(file: ModelFile, path: string, learned?: LearnedDigest): Promise<void>;
  /** `totalBytes` is absent where the source cannot know it ahead. */
  onProgress(doneBytes: number, totalBytes: number | undefined): void;
}

/** A place models come from. It only brings bytes: checking and installing them is the store's part. */
export interface ModelSource {
  readonly kind: SourceKind;
  /** Whether the source has a way to this file; no promise that it is reachable. */
  offers(model: Model, file: ModelFile): boolean;
  /** What fetching these files writes to the work folder at most, where that can be told. */
  neededBytes(files: readonly ModelFile[]): number | undefined;
  /** Delivers what it can, in any order; throws when some file was not delivered. */
  fetch(request: FetchRequest): Promise<void>;
}

/** Sum of the known sizes of files. */
export function knownBytes(files: readonly ModelFile[]): number {
  return files.reduce((sum, file) => sum + (file.sizeBytes ?? 0), 0);
}
