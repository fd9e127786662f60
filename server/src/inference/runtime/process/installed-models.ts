import type { EngineContext } from '../../../domain/engines/tts-engine.ts';
import { createModelStore } from '../../models/store/model-store.ts';

/** The models that are there: the parent fetches, a worker only reads. Throws for one that is not. */
export function openInstalledModels(root: string): Pick<EngineContext, 'file' | 'folder' | 'derive'> {
  const store = createModelStore({ root, sources: [] });
  const find = async (id: string) => {
    const model = await store.find(id);
    if (model === undefined) throw new Error(`Model ${id} is not installed.`);
    return model;
  };
  return {
    file: async (id, name) => (await find(id)).file(name),
    folder: async (id) => (await find(id)).folder,
    derive: (id, name, version, make) => store.derive(id, name, version, make),
  };
}
