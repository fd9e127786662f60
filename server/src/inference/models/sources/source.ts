import type { Model, ModelFile, SourceKind } from '../catalogue/model.ts';

/** The hash that a source reports for a file that is trusted on first use. */
export interface LearnedDigest {
  readonly sha256?: string;
  readonly gitBlobSha1?: string;
}

/** Missing files of one model, to be downloaded from one source. */
export interface FetchRequest {
  readonly model: Model;
  /** Only files that the source offers. */
  readonly files: readonly ModelFile[];
  /** The folder of the source for this model. Its content survives a kill and may be resumed. */
  readonly workFolder: string;
  readonly signal: AbortSignal;
  /**
   * Delivers the complete file at `path` in the work folder. The store verifies it and moves it; on a wrong hash it
   * deletes the file and rejects.
   */
  deliver(file: ModelFile, path: string, learned?: LearnedDigest): Promise<void>;
  /** `totalBytes` is undefined when the source does not know it in advance. */
  onProgress(doneBytes: number, totalBytes: number | undefined): void;
}

/** A source of models. It only transfers files; the store verifies and installs them. */
export interface ModelSource {
  readonly kind: SourceKind;
  /** Whether the source lists this file. It may still be unreachable. */
  offers(model: Model, file: ModelFile): boolean;
  /** Maximum size of the work folder while these files are downloaded, if known. */
  neededBytes(files: readonly ModelFile[]): number | undefined;
  /** Delivers the files in any order; throws when a file could not be delivered. */
  fetch(request: FetchRequest): Promise<void>;
}

/** Sum of the known sizes of files. */
export function knownBytes(files: readonly ModelFile[]): number {
  return files.reduce((sum, file) => sum + (file.sizeBytes ?? 0), 0);
}
