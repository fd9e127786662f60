import { writeFile } from 'node:fs/promises';
import type { AsrEngineContext } from '../../../domain/engines/asr-engine.ts';
import { type OnnxModel, writeModel } from '../onnx/model.ts';
import { areSignedProductsExact, signWeights } from '../onnx/signed-weights.ts';

/** Derives a network of a model, with int8 weights where they are faster and the results the same. Returns its path. */
export async function deriveNetwork(
  context: AsrEngineContext,
  network: {
    readonly model: string;
    /** File name without extension. */
    readonly name: string;
    readonly version: number;
    readonly make: () => Promise<OnnxModel>;
  },
): Promise<string> {
  const { model, name, version, make } = network;
  const isSigned = await areSignedProductsExact();
  return context.derive(model, isSigned ? `${name}-signed.onnx` : `${name}.onnx`, version, async (path) => {
    const made = await make();
    await writeFile(path, writeModel(isSigned ? signWeights(made) : made));
  });
}
