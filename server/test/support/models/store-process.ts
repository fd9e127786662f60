import type { ModelFile } from '../../../src/inference/models/catalogue/model.ts';
import { createHubSource } from '../../../src/inference/models/sources/hub-source.ts';
import { createModelStore } from '../../../src/inference/models/store/model-store.ts';
import { makeCatalogue, makeModel } from './test-catalogue.ts';

/** The installation that a child process performs. */
export interface StoreProcessTask {
  readonly root: string;
  readonly hubUrl: string;
  readonly modelId: string;
  readonly files: readonly ModelFile[];
}

// Run by tests as a child process: installs one model and writes its progress to stdout.
const task = JSON.parse(process.argv[2] ?? '') as StoreProcessTask;
const store = createModelStore({
  root: task.root,
  sources: [createHubSource({ baseUrl: task.hubUrl })],
  catalogue: makeCatalogue(makeModel(task.modelId, task.files)),
  onProgress: (progress) => console.log(progress.phase),
});
const { folder } = await store.ensure(task.modelId);
console.log(`done ${folder}`);
