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
import { createStoreLayout, type StoreLayout } from './store-layout.ts';

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
  return new FolderModelStore(options);
}

/** Models in a folder. */
class FolderModelStore implements ModelStore {
  readonly #options: ModelStoreOptions;
  readonly #layout: StoreLayout;
  readonly #catalogue: Catalogue;
  readonly #freeBytes: (folder: string) => Promise<number>;

  constructor(options: ModelStoreOptions) {
    this.#options = options;
    this.#layout = createStoreLayout(resolve(options.root));
    this.#catalogue = options.catalogue ?? CATALOGUE;
    this.#freeBytes = options.freeBytes ?? diskFreeBytes;
  }

  async list(): Promise<ModelStatus[]> {
    const models = await this.#knownModels();
    return Promise.all(models.map((model) => this.#describeStatus(model)));
  }

  async find(id: string): Promise<InstalledModel | undefined> {
    return this.#findModel(this.#requireModel(id));
  }

  async ensure(id: string, options: EnsureOptions = {}): Promise<InstalledModel> {
    return this.#install(this.#requireModel(id), this.#options.sources, options);
  }

  async remove(id: string): Promise<boolean> {
    const model = this.#requireModel(id);
    const { state } = await this.#describeStatus(model);
    await this.#removeModel(model);
    return state !== 'absent';
  }

  async verify(id?: string): Promise<VerifyResult[]> {
    const models = id === undefined ? await this.#knownModels() : [this.#requireModel(id)];
    const results: VerifyResult[] = [];
    for (const model of models) {
      const { state } = await this.#describeStatus(model);
      if (state === 'absent' && id === undefined) continue;
      if (state === 'absent') throw createNotInstalledError(model.id);
      const result = await this.#withLock(model, {}, () => verifyFiles(this.#layout, model));
      results.push({ id: model.id, ...result });
    }
    return results;
  }

  async findProblems(id: string): Promise<readonly string[]> {
    const model = this.#requireModel(id);
    if ((await this.#findModel(model)) === undefined) return [];
    return (await findFileProblems(this.#layout, model)).map(({ description }) => description);
  }

  async importFrom(path: string, id?: string, options: EnsureOptions = {}): Promise<InstalledModel[]> {
    const wanted = id === undefined ? undefined : this.#requireModel(id);
    const plan = await planImport(resolve(path), wanted, this.#catalogue);
    const installed: InstalledModel[] = [];
    for (const model of plan.models) {
      // Unpinned files may be newer than the installed ones.
      if (model.files.some((file) => file.sha256 === undefined)) await this.#removeModel(model);
      installed.push(await this.#install(model, plan.sources, options));
    }
    return installed;
  }

  async derive(
    id: string,
    name: string,
    version: string | number,
    make: (outPath: string) => Promise<void>,
    options: EnsureOptions = {},
  ): Promise<string> {
    const model = this.#requireModel(id);
    if ((await this.#findModel(model)) === undefined) throw createNotInstalledError(id);
    return deriveArtefact({
      folder: this.#layout.derivedFolder(id),
      name,
      version,
      make,
      exclusively: (work) => this.#withLock(model, options, work),
    });
  }

  #requireModel(id: string): Model {
    const model = this.#catalogue.find(id);
    if (model !== undefined) return model;
    const ids = this.#catalogue.models.map((known) => known.id).join(', ');
    throw new ModelStoreError(
      'unknown_model',
      `There is no model “${id}”. The known models are ${ids}, and piper:<voice name> for any Piper voice.`,
    );
  }

  /** The models of the catalogue, and those of open families with a folder in the store. */
  async #knownModels(): Promise<Model[]> {
    const models = [...this.#catalogue.models];
    const { root } = this.#layout;
    const topEntries = await readdir(root, { withFileTypes: true }).catch(() => []);
    for (const family of topEntries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))) {
      if (this.#catalogue.find(family.name) !== undefined) continue;
      for (const member of await readdir(join(root, family.name)).catch(() => [])) {
        const model = this.#catalogue.find(`${family.name}:${member}`);
        if (model !== undefined) models.push(model);
      }
    }
    return models;
  }

  async #describeStatus(model: Model): Promise<ModelStatus> {
    const record = await readValidRecord(this.#layout, model);
    const folder = this.#layout.modelFolder(model.id);
    const hasFiles = record !== undefined || (await readdir(folder).catch(() => [])).length > 0;
    return {
      model,
      state: record !== undefined ? 'installed' : hasFiles ? 'incomplete' : 'absent',
      folder,
      sizeBytes: record?.files.reduce((sum, file) => sum + file.sizeBytes, 0) ?? modelSizeBytes(model),
      installedAt: record?.installedAt,
    };
  }

  async #findModel(model: Model): Promise<InstalledModel | undefined> {
    return (await readValidRecord(this.#layout, model)) && this.#describeInstalled(model);
  }

  #describeInstalled(model: Model): InstalledModel {
    const folder = this.#layout.modelFolder(model.id);
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

  async #install(
    model: Model,
    sources: readonly ModelSource[],
    options: EnsureOptions,
  ): Promise<InstalledModel> {
    const installed = await this.#findModel(model);
    if (installed !== undefined) return installed;
    return this.#withLock(model, options, async (lock) => {
      const installedMeanwhile = await this.#findModel(model);
      if (installedMeanwhile !== undefined) return installedMeanwhile;
      await installModel({
        model,
        layout: this.#layout,
        sources,
        lock,
        signal: options.signal ?? new AbortController().signal,
        onProgress: this.#reportTo(options.onProgress),
        freeBytes: this.#freeBytes,
      });
      return this.#describeInstalled(model);
    });
  }

  async #removeModel(model: Model): Promise<void> {
    await this.#withLock(model, {}, async () => {
      // The record first: after a kill during the removal the model does not count as installed.
      await rm(this.#layout.recordPath(model.id), { force: true });
      await rm(this.#layout.modelFolder(model.id), { recursive: true, force: true });
      await rm(this.#layout.incomingFolder(model.id), { recursive: true, force: true, maxRetries: 3 });
    });
  }

  async #withLock<Result>(
    model: Model,
    { signal, onProgress }: EnsureOptions,
    work: (lock: HeldLock) => Promise<Result>,
  ): Promise<Result> {
    const layout = this.#layout;
    const report = this.#reportTo(onProgress);
    try {
      const lock = await acquireLock(layout.lockFolder, layout.lockName(model.id), {
        signal,
        onWait: (holderPid) => report({ modelId: model.id, phase: 'waiting', holderPid }),
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

  /** Reports progress to the listener of the store and to that of one call. */
  #reportTo(onProgress: ProgressListener | undefined): ProgressListener {
    return (progress) => {
      this.#options.onProgress?.(progress);
      onProgress?.(progress);
    };
  }
}

function createNotInstalledError(id: string): ModelStoreError {
  return new ModelStoreError('not_installed', `${id} is not installed; use \`mynah models pull ${id}\`.`);
}
