import type { TtsEngineContext } from '../../../domain/engines/tts-engine.ts';
import { createModelStore } from '../../models/store/model-store.ts';

/** Read access to the installed models. The parent installs them. Throws for a model that is not installed. */
export function openInstalledModels(root: string): Pick<TtsEngineContext, 'file' | 'folder' | 'derive'> {
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
