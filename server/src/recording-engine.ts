import { RECORDING_ENGINE } from './engines/registry.ts';
import type { ModelStore } from './models/model-store.ts';

const RUNTIME = 'sherpa-onnx-node';

/** The engine that speaks like recordings, where its model is installed and its runtime came with the packages. */
export async function findRecordingEngine(store: Pick<ModelStore, 'find'>): Promise<string | undefined> {
  if ((await store.find(RECORDING_ENGINE)) === undefined) return undefined;
  try {
    import.meta.resolve(RUNTIME);
    return RECORDING_ENGINE;
  } catch {
    return undefined;
  }
}
