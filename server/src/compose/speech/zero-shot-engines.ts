import type { ZeroShotEngine, ZeroShotEngineName } from '../../domain/engines/zero-shot-engine.ts';
import { ZERO_SHOT_ENGINES } from '../../inference/engines/registry.ts';
import type { ModelStore } from '../../inference/models/store/model-store.ts';

/** The runtime and the package with its binary for this machine. */
const RUNTIME = ['sherpa-onnx-node', `sherpa-onnx-${process.platform}-${process.arch}`];

/** The zero-shot engines whose model is installed, in order of preference. None without their runtime. */
export async function findZeroShotEngines(
  store: Pick<ModelStore, 'find'>,
  preferred: readonly ZeroShotEngineName[],
): Promise<readonly ZeroShotEngine[]> {
  try {
    for (const name of RUNTIME) import.meta.resolve(name);
  } catch {
    return [];
  }
  const models = await Promise.all(preferred.map((name) => store.find(name)));
  return preferred.filter((_, index) => models[index] !== undefined).map((name) => ZERO_SHOT_ENGINES[name]);
}
