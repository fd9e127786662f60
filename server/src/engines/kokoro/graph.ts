import { readFile, writeFile } from 'node:fs/promises';
import { multiplyConvolutions } from '../onnx/integer-convolutions.ts';
import { type OnnxModel, readModel, type ValueInfo, writeModel } from '../onnx/model.ts';
import { extractSubgraph } from '../onnx/subgraph.ts';
import { ELEMENT } from '../onnx/tensor.ts';
import { FEATURE_ROWS } from './features.ts';

/** The seam of the official graph: the values that pass from the front to the decoder, by their names there. */
export const FRONT_OUTPUTS = {
  asr: '/encoder/MatMul_1_output_0',
  f0: '/encoder/Reshape_output_0',
  energy: '/encoder/Reshape_1_output_0',
  durations: '/encoder/Round_output_0',
} as const;

/** Changes when the cut changes, so that a cached part of an older cut is made anew. */
export const CUT_VERSION = 2;

const SEAM: readonly ValueInfo[] = [
  { name: FRONT_OUTPUTS.asr, elementType: ELEMENT.float, dims: [1, FEATURE_ROWS, 'frames'] },
  { name: FRONT_OUTPUTS.f0, elementType: ELEMENT.float, dims: [1, 'half_frames'] },
  { name: FRONT_OUTPUTS.energy, elementType: ELEMENT.float, dims: [1, 'half_frames'] },
];

/** Writes the front (tokens, style and speed to features and durations) of an official Kokoro file. */
export async function cutFront(modelPath: string, outPath: string): Promise<void> {
  const model = readModel(await readFile(modelPath));
  const durations: ValueInfo = {
    name: FRONT_OUTPUTS.durations,
    elementType: ELEMENT.float,
    dims: [1, 'tokens'],
  };
  const cut = { inputs: model.graph.inputs, outputs: [...SEAM, durations] };
  await writeFile(outPath, writeModel(multiplyConvolutions(extractSubgraph(model, cut))));
}

/** Writes the stock decoder (features and style to samples) of an official Kokoro file. */
export async function cutStockDecoder(modelPath: string, outPath: string): Promise<void> {
  const model = readModel(await readFile(modelPath));
  const cut = { inputs: [inputNamed(model, 'style'), ...SEAM], outputs: model.graph.outputs };
  await writeFile(outPath, writeModel(extractSubgraph(model, cut)));
}

function inputNamed(model: OnnxModel, name: string): ValueInfo {
  const input = model.graph.inputs.find((candidate) => candidate.name === name);
  if (input === undefined) throw new Error(`This Kokoro file has no input named "${name}".`);
  return input;
}
