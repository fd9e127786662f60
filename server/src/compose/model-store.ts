import type { Config, Environment } from '../config/config.ts';
import { createModelSources } from '../inference/models/sources/model-sources.ts';
import { createModelStore, type ModelStore } from '../inference/models/store/model-store.ts';

/** The model store of the settings. `env` is passed to the npm client. */
export function openModelStore(config: Config, env: Environment): ModelStore {
  return createModelStore({
    root: config.modelsFolder,
    sources: createModelSources({
      order: config.modelSources.join(','),
      localFolder: config.modelFolder,
      hubUrl: config.hubUrl,
      hubToken: config.hubToken?.reveal(),
      env,
    }),
  });
}
