import { readFile, writeFile } from 'node:fs/promises';
import { type OnnxModel, readModel, type ValueInfo, writeModel } from '../../onnx/model.ts';
import { extractSubgraph } from '../../onnx/subgraph.ts';
import { ELEMENT } from '../../onnx/tensor.ts';
import { FEATURE_ROWS } from './features.ts';

/** Model id of the official file. */
export const MODEL = 'kokoro-82m-q8';

/** Names of the values at which the official graph is cut. */
export const CUT_POINTS = {
  asr: '/encoder/MatMul_1_output_0',
  f0: '/encoder/Reshape_output_0',
  energy: '/encoder/Reshape_1_output_0',
} as const;

/** Increment when the cut changes; derived files of other versions are not used. */
export const CUT_VERSION = 3;

const ASR: ValueInfo = {
  name: CUT_POINTS.asr,
  elementType: ELEMENT.float,
  dims: [1, FEATURE_ROWS, 'frames'],
};

/** Writes the stock decoder (features and style to samples) of an official Kokoro file. */
export async function cutStockDecoder(modelPath: string, outPath: string): Promise<void> {
  const model = readModel(await readFile(modelPath));
  const contours = [CUT_POINTS.f0, CUT_POINTS.energy].map(
    (name): ValueInfo => ({ name, elementType: ELEMENT.float, dims: [1, 'half_frames'] }),
  );
  const inputs = [inputNamed(model, 'style'), ASR, ...contours];
  const cut = { inputs, outputs: model.graph.outputs };
  await writeFile(outPath, writeModel(extractSubgraph(model, cut)));
}

function inputNamed(model: OnnxModel, name: string): ValueInfo {
  const input = model.graph.inputs.find((candidate) => candidate.name === name);
  if (input === undefined) throw new Error(`This Kokoro file has no input named "${name}".`);
  return input;
}
