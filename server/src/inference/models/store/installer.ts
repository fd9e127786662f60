import { rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { createFolder } from '../../../create-folder.ts';
import type { Model, ModelFile } from '../catalogue/model.ts';
import { moveIntoPlace } from '../files/durable-file.ts';
import { digestFile, type FileDigest, fileSizeBytes } from '../files/file-digest.ts';
import { folderSizeBytes } from '../files/folder-size.ts';
import { ModelStoreError } from '../files/model-store-error.ts';
import { knownBytes, type LearnedDigest, type ModelSource } from '../sources/source.ts';
import {
  describeFailures,
  diskFullError,
  explainFailure,
  isFinal,
  type SourceFailure,
} from './install-failure.ts';
import { type RecordedFile, readInstallRecord, writeInstallRecord } from './install-record.ts';
import type { HeldLock } from './model-lock.ts';
import type { ProgressListener } from './model-progress.ts';
import type { StoreLayout } from './store-layout.ts';

/** The inputs of an installation. */
export interface Installation {
  readonly model: Model;
  readonly layout: StoreLayout;
  readonly sources: readonly ModelSource[];
  readonly lock: HeldLock;
  readonly signal: AbortSignal;
  readonly onProgress: ProgressListener;
  /** Free space on the disk that holds a folder. */
  readonly freeBytes: (folder: string) => Promise<number>;
}

/** Free space for this user on the disk that holds a folder. */
export async function diskFreeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/**
 * Completes a model: retains valid files, downloads the others from the first source that can deliver them, and
 * writes the install record last. The caller holds the lock of the model.
 */
export async function installModel(installation: Installation): Promise<void> {
  const { model, layout, onProgress } = installation;
  try {
    await createFolder(layout.modelFolder(model.id));
    const installed = await adoptExistingFiles(installation);
    await rm(layout.recordPath(model.id), { force: true });
    if (installed.size < model.files.length) {
      // Artefacts of the old files do not match the new ones.
      await rm(layout.derivedFolder(model.id), { recursive: true, force: true });
      await fetchMissingFiles(installation, installed);
    }
    if (!(await installation.lock.isHeld())) {
      throw new ModelStoreError(
        'cancelled',
        `Another process took over the installation of ${model.id}; try again.`,
      );
    }
    await writeInstallRecord(layout, {
      id: model.id,
      installedAt: new Date().toISOString(),
      files: model.files.map((file) => installed.get(file.name)!),
    });
    await rm(layout.incomingFolder(model.id), { recursive: true, force: true, maxRetries: 3 });
    onProgress({ modelId: model.id, phase: 'installed' });
  } catch (error) {
    throw await explainFailure(error, installation);
  }
}

/**
 * Adopts valid files of a killed installation or of a manual copy, and deletes invalid ones. This runs while the old
 * record still exists: without it, an unpinned file can only be accepted as it is.
 */
async function adoptExistingFiles({
  model,
  layout,
  signal,
}: Installation): Promise<Map<string, RecordedFile>> {
  const record = await readInstallRecord(layout, model.id);
  const recorded = new Map(record?.files.map((file) => [file.name, file.sha256]));
  const adopted = new Map<string, RecordedFile>();
  for (const file of model.files) {
    const path = join(layout.modelFolder(model.id), file.name);
    const sizeBytes = await fileSizeBytes(path);
    if (sizeBytes === undefined) continue;
    const expectedSha256 = file.sha256 ?? recorded.get(file.name);
    const mayMatch = file.sizeBytes === undefined || file.sizeBytes === sizeBytes;
    const digest = mayMatch ? await digestFile(path, signal) : undefined;
    if (digest !== undefined && (expectedSha256 === undefined || digest.sha256 === expectedSha256)) {
      adopted.set(file.name, recordOf(file, digest));
    } else {
      await rm(path, { force: true });
    }
  }
  return adopted;
}

async function fetchMissingFiles(
  installation: Installation,
  installed: Map<string, RecordedFile>,
): Promise<void> {
  const { model, sources, onProgress } = installation;
  const failures: SourceFailure[] = [];
  const missingFrom = (source: ModelSource) =>
    model.files.filter((file) => !installed.has(file.name) && source.offers(model, file));
  for (const [index, source] of sources.entries()) {
    const files = missingFrom(source);
    if (files.length === 0) continue;
    try {
      await fetchFrom(source, files, installation, installed);
    } catch (error) {
      const failure = await explainFailure(error, installation, source.neededBytes(files));
      if (!(failure instanceof ModelStoreError) || isFinal(failure)) throw failure;
      failures.push({ source: source.kind, error: failure });
      if (sources.slice(index + 1).some((next) => missingFrom(next).length > 0)) {
        onProgress({
          modelId: model.id,
          phase: 'source_failed',
          source: source.kind,
          reason: failure.message,
        });
      }
    }
  }
  const missing = model.files.filter((file) => !installed.has(file.name));
  if (missing.length > 0) throw describeFailures(model, missing, sources, failures);
}

async function fetchFrom(
  source: ModelSource,
  files: readonly ModelFile[],
  { model, layout, signal, onProgress, freeBytes }: Installation,
  installed: Map<string, RecordedFile>,
): Promise<void> {
  const workFolder = join(layout.incomingFolder(model.id), source.kind);
  const neededBytes = source.neededBytes(files) ?? knownBytes(files);
  const remainingBytes = neededBytes - (await folderSizeBytes(workFolder));
  if ((await freeBytes(layout.root)) < remainingBytes) throw diskFullError(model, layout.root, neededBytes);
  signal.throwIfAborted();
  await source.fetch({
    model,
    files,
    workFolder,
    signal,
    async deliver(file, path, learned) {
      const digest = await checkFile(model, file, path, learned, signal);
      await moveIntoPlace(path, join(layout.modelFolder(model.id), file.name));
      installed.set(file.name, recordOf(file, digest));
    },
    onProgress(doneBytes, totalBytes) {
      onProgress({ modelId: model.id, phase: 'fetching', source: source.kind, doneBytes, totalBytes });
    },
  });
}

async function checkFile(
  model: Model,
  file: ModelFile,
  path: string,
  learned: LearnedDigest | undefined,
  signal: AbortSignal,
): Promise<FileDigest> {
  const digest = await digestFile(path, signal);
  const expectedSha256 = file.sha256 ?? learned?.sha256;
  const expected = expectedSha256 ?? learned?.gitBlobSha1;
  const got = expectedSha256 === undefined ? digest.gitBlobSha1 : digest.sha256;
  if (expected === undefined || expected === got) return digest;
  await rm(path, { force: true });
  throw new ModelStoreError(
    'hash_mismatch',
    `${file.name} of ${model.id} has the wrong content (expected ${expected}, got ${got}); it was discarded.`,
  );
}

function recordOf(file: ModelFile, { sizeBytes, sha256 }: FileDigest): RecordedFile {
  return { name: file.name, sizeBytes, sha256 };
}
