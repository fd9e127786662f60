import { readFile } from 'node:fs/promises';
import type { AsrEngineContext } from '../../../domain/engines/asr-engine.ts';
import { readModel } from '../onnx/model.ts';
import { deriveNetwork } from './derive-network.ts';
import { splitDecoder } from './split-decoder.ts';
import { StepDecoder } from './step-decoder.ts';

/** Version of the derived files; increment when `splitDecoder` changes. */
const DECODER_VERSION = 5;

/** Opens the decoder of a model with the merged file `decoder.onnx`. Its parts are derived artefacts. */
export async function deriveDecoder(context: AsrEngineContext, model: string): Promise<StepDecoder> {
  const part = (name: 'memory' | 'step') =>
    deriveNetwork(context, {
      model,
      name: `decoder-${name}`,
      version: DECODER_VERSION,
      make: async () =>
        splitDecoder(readModel(await readFile(await context.file(model, 'decoder.onnx'))))[name],
    });
  return StepDecoder.open({ memory: await part('memory'), step: await part('step') }, context);
}
