import { RECORDING_ENGINE } from './engines/registry.ts';
import type { ModelStore } from './models/model-store.ts';

/** The runtime, and the package that has its binary for this machine. */
const RUNTIME = ['sherpa-onnx-node', `sherpa-onnx-${process.platform}-${process.arch}`];

/** The engine that speaks like recordings, where its model is installed and its runtime came with the packages. */
export async function findRecordingEngine(store: Pick<ModelStore, 'find'>): Promise<string | undefined> {
  if ((await store.find(RECORDING_ENGINE)) === undefined) return undefined;
  try {
    for (const name of RUNTIME) import.meta.resolve(name);
    return RECORDING_ENGINE;
  } catch {
    return undefined;
  }
}
