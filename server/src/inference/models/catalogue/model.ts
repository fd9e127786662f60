/** What a model is for. */
export type ModelTask = 'tts' | 'asr' | 'lexicon';

/** The kinds of places a model file can come from. `built-in` files are carried by this program. */
export type SourceKind = 'built-in' | 'local' | 'npm' | 'hub';

/** A stretch of a file inside an npm package. */
export interface NpmPiece {
  /** `name@version`, always an exact version. */
  readonly package: string;
  /** Path inside the package, without the tarball's top folder. */
  readonly path: string;
  /** Where the piece begins inside the packaged file; 0 when absent. */
  readonly startByte?: number;
  readonly sizeBytes: number;
}

/** A file in a repository of the Hugging Face hub. */
export interface HubFile {
  readonly repository: string;
  readonly path: string;
}

/** One file of a model and where it can be had. */
export interface ModelFile {
  /** Path inside the model's folder, with forward slashes. */
  readonly name: string;
  /** Absent, like `sha256`, only where the file is trusted on first use; the install record then pins both. */
  readonly sizeBytes?: number;
  readonly sha256?: string;
  /** The pieces which, one after the other, are the file. */
  readonly npm?: readonly NpmPiece[];
  readonly hub?: HubFile;
  /** The address of the file in a published release, for files that no hub has. Such a file is pinned. */
  readonly release?: string;
  /** The whole content, for small files that not every source has. */
  readonly builtIn?: () => string;
}

/** An entry of the catalogue. */
export interface Model {
  readonly id: string;
  readonly title: string;
  readonly task: ModelTask;
  /** BCP 47 tags. */
  readonly languages: readonly string[];
  /** Licence of the weights: an SPDX identifier, or a word where the publisher decides per file. */
  readonly licence: string;
  /** Who made it, for the notices. */
  readonly credit: string;
  /** Needed on the first start. */
  readonly isDefault: boolean;
  readonly files: readonly ModelFile[];
}

/** A model that is completely on disk. */
export interface InstalledModel {
  readonly id: string;
  readonly folder: string;
  /** The absolute path of one of the model's files. Throws for a name the model does not have. */
  file(name: string): string;
}

/** Size of all files of a model, or `undefined` when some sizes are only known after the download. */
export function modelSizeBytes(model: Model): number | undefined {
  let totalBytes = 0;
  for (const file of model.files) {
    if (file.sizeBytes === undefined) return undefined;
    totalBytes += file.sizeBytes;
  }
  return totalBytes;
}

/** The npm packages that the given files are made from, each once, in the order of first use. */
export function npmPackagesOf(files: readonly ModelFile[]): string[] {
  return [...new Set(files.flatMap((file) => (file.npm ?? []).map((piece) => piece.package)))];
}

/** What npm transfers for these files: whole tarballs, of which only the wanted files are kept. */
export function npmTransferBytes(
  files: readonly ModelFile[],
  tarballBytes: (packageSpec: string) => number | undefined,
): number | undefined {
  return npmPackagesOf(files)
    .map(tarballBytes)
    .reduce((sum, size) => (sum === undefined || size === undefined ? undefined : sum + size), 0);
}
