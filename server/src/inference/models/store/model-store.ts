import { readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CATALOGUE, type Catalogue } from '../catalogue/catalogue.ts';
import type { InstalledModel, Model } from '../catalogue/model.ts';
import { modelSizeBytes } from '../catalogue/model.ts';
import { ModelStoreError } from '../files/model-store-error.ts';
import type { ModelSource } from '../sources/source.ts';
import { deriveArtefact } from './derived-artefact.ts';
import { explainFailure } from './install-failure.ts';
import { readValidRecord } from './install-record.ts';
import { diskFreeBytes, installModel } from './installer.ts';
import { planImport } from './model-import.ts';
import { acquireLock, type HeldLock } from './model-lock.ts';
import type { ProgressListener } from './model-progress.ts';
import { findFileProblems, verifyFiles } from './model-verification.ts';
import { createStoreLayout } from './store-layout.ts';

/** Options of a store. */
export interface ModelStoreOptions {
  /** The folder of the models. Several processes and installations may share it. */
  readonly root: string;
  /** In order of priority; see `createModelSources`. */
  readonly sources: readonly ModelSource[];
  readonly onProgress?: ProgressListener;
  readonly catalogue?: Catalogue;
  readonly freeBytes?: (folder: string) => Promise<number>;
}

/** A model of the catalogue and its state. */
export interface ModelStatus {
  readonly model: Model;
  /** `incomplete`: partial, damaged or outdated; `ensure` completes it. */
  readonly state: 'installed' | 'incomplete' | 'absent';
  readonly folder: string;
  /** Total size of its files: measured if it is installed, else from the catalogue if known. */
  readonly sizeBytes: number | undefined;
  readonly installedAt: string | undefined;
}

/** The result of a full verification of one model. */
export interface VerifyResult {
  readonly id: string;
  /** Empty when every file is valid. */
  readonly problems: readonly string[];
  /** Files are missing that `ensure` fetches again. Derived artefacts are made again when they are used. */
  readonly isIncomplete: boolean;
}

/** Options of long operations. */
export interface EnsureOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ProgressListener | undefined;
}

/** Models on disk. A model is visible only when it is complete and verified. Safe to share between processes. */
export interface ModelStore {
  /** The catalogue, and the installed models of open families. */
  list(): Promise<ModelStatus[]>;
  /** Returns the model, after installing it if necessary. */
  ensure(id: string, options?: EnsureOptions): Promise<InstalledModel>;
  /** The model if it is installed. Checks the record and file sizes, not the content. */
  find(id: string): Promise<InstalledModel | undefined>;
  /** Deletes a model and its derived artefacts. False when it was not installed. */
  remove(id: string): Promise<boolean>;
  /**
   * Verifies the hash of every file, derived artefacts included. Damaged files are deleted, so that `ensure` and
   * `derive` restore them.
   */
  verify(id?: string): Promise<VerifyResult[]>;
  /** Like `verify`, without deleting anything. Empty for a model that is not installed. */
  findProblems(id: string): Promise<readonly string[]>;
  /** Installs from a folder, file or tarball: the given model, or every complete one. */
  importFrom(path: string, id?: string, options?: EnsureOptions): Promise<InstalledModel[]>;
  /**
   * The path of a derived artefact of an installed model, made by `make` if it does not exist. Change `version`
   * whenever the output of `make` changes.
   */
  derive(
    id: string,
    name: string,
    version: string | number,
    make: (outPath: string) => Promise<void>,
    options?: EnsureOptions,
  ): Promise<string>;
}

/** Opens a store. The folder is created by the first installation. */
export function createModelStore(options: ModelStoreOptions): ModelStore {
  const layout = createStoreLayout(resolve(options.root));
  const catalogue = options.catalogue ?? CATALOGUE;
  const freeBytes = options.freeBytes ?? diskFreeBytes;

  function requireModel(id: string): Model {
    const model = catalogue.find(id);
    if (model !== undefined) return model;
    const ids = catalogue.models.map((known) => known.id).join(', ');
    throw new ModelStoreError(
      'unknown_model',
      `There is no model “${id}”. The known models are ${ids}, and piper:<voice name> for any Piper voice.`,
    );
  }

  function describeInstalled(model: Model): InstalledModel {
    const folder = layout.modelFolder(model.id);
    return {
      id: model.id,
      folder,
      file(name) {
        if (!model.files.some((file) => file.name === name)) {
          throw new ModelStoreError('file_missing', `${model.id} has no file ${name}.`);
        }
        return join(folder, name);
      },
    };
  }

  async function withLock<Result>(
    model: Model,
    { signal, onProgress }: EnsureOptions,
    work: (lock: HeldLock) => Promise<Result>,
  ): Promise<Result> {
    try {
      const lock = await acquireLock(layout.lockFolder, layout.lockName(model.id), {
        signal,
        onWait: (holderPid) => report(onProgress)({ modelId: model.id, phase: 'waiting', holderPid }),
      });
      try {
        return await work(lock);
      } finally {
        await lock.release();
      }
    } catch (error) {
      throw await explainFailure(error, { model, layout, signal });
    }
  }

  function report(onProgress: ProgressListener | undefined): ProgressListener {
    return (progress) => {
      options.onProgress?.(progress);
      onProgress?.(progress);
    };
  }

  async function findModel(model: Model): Promise<InstalledModel | undefined> {
    return (await readValidRecord(layout, model)) && describeInstalled(model);
  }

  async function install(
    model: Model,
    sources: readonly ModelSource[],
    ensureOptions: EnsureOptions,
  ): Promise<InstalledModel> {
    const installed = await findModel(model);
    if (installed !== undefined) return installed;
    return withLock(model, ensureOptions, async (lock) => {
      const installedMeanwhile = await findModel(model);
      if (installedMeanwhile !== undefined) return installedMeanwhile;
      await installModel({
        model,
        layout,
        sources,
        lock,
        signal: ensureOptions.signal ?? new AbortController().signal,
        onProgress: report(ensureOptions.onProgress),
        freeBytes,
      });
      return describeInstalled(model);
    });
  }

  /** The models of the catalogue, and those of open families with a folder in the store. */
  async function knownModels(): Promise<Model[]> {
    const models = [...catalogue.models];
    const topEntries = await readdir(layout.root, { withFileTypes: true }).catch(() => []);
    for (const family of topEntries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))) {
      if (catalogue.find(family.name) !== undefined) continue;
      for (const member of await readdir(join(layout.root, family.name)).catch(() => [])) {
        const model = catalogue.find(`${family.name}:${member}`);
        if (model !== undefined) models.push(model);
      }
    }
    return models;
  }

  async function describeStatus(model: Model): Promise<ModelStatus> {
    const record = await readValidRecord(layout, model);
    const folder = layout.modelFolder(model.id);
    const hasFiles = record !== undefined || (await readdir(folder).catch(() => [])).length > 0;
    return {
      model,
      state: record !== undefined ? 'installed' : hasFiles ? 'incomplete' : 'absent',
      folder,
      sizeBytes: record?.files.reduce((sum, file) => sum + file.sizeBytes, 0) ?? modelSizeBytes(model),
      installedAt: record?.installedAt,
    };
  }

  async function removeModel(model: Model): Promise<void> {
    await withLock(model, {}, async () => {
      // The record first: after a kill during the removal the model does not count as installed.
      await rm(layout.recordPath(model.id), { force: true });
      await rm(layout.modelFolder(model.id), { recursive: true, force: true });
      await rm(layout.incomingFolder(model.id), { recursive: true, force: true, maxRetries: 3 });
    });
  }

  return {
    async list() {
      return Promise.all((await knownModels()).map(describeStatus));
    },

    async find(id) {
      return findModel(requireModel(id));
    },

    async ensure(id, ensureOptions = {}) {
      return install(requireModel(id), options.sources, ensureOptions);
    },

    async remove(id) {
      const model = requireModel(id);
      const { state } = await describeStatus(model);
      await removeModel(model);
      return state !== 'absent';
    },

    async verify(id) {
      const models = id === undefined ? await knownModels() : [requireModel(id)];
      const results: VerifyResult[] = [];
      for (const model of models) {
        const { state } = await describeStatus(model);
        if (state === 'absent' && id === undefined) continue;
        if (state === 'absent') {
          throw new ModelStoreError(
            'not_installed',
            `${model.id} is not installed; use \`mynah models pull ${model.id}\`.`,
          );
        }
        results.push({ id: model.id, ...(await withLock(model, {}, () => verifyFiles(layout, model))) });
      }
      return results;
    },

    async findProblems(id) {
      const model = requireModel(id);
      if ((await findModel(model)) === undefined) return [];
      return (await findFileProblems(layout, model)).map(({ description }) => description);
    },

    async importFrom(path, id, ensureOptions = {}) {
      const plan = await planImport(
        resolve(path),
        id === undefined ? undefined : requireModel(id),
        catalogue,
      );
      const installed: InstalledModel[] = [];
      for (const model of plan.models) {
        // Unpinned files may be newer than the installed ones.
        if (model.files.some((file) => file.sha256 === undefined)) await removeModel(model);
        installed.push(await install(model, plan.sources, ensureOptions));
      }
      return installed;
    },

    async derive(id, name, version, make, deriveOptions = {}) {
      const model = requireModel(id);
      if ((await findModel(model)) === undefined) {
        throw new ModelStoreError(
          'not_installed',
          `${id} is not installed; use \`mynah models pull ${id}\`.`,
        );
      }
      return deriveArtefact({
        folder: layout.derivedFolder(id),
        name,
        version,
        make,
        exclusively: (work) => withLock(model, deriveOptions, work),
      });
    },
  };
}
