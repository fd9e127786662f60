import { readFile, writeFile } from 'node:fs/promises';
import { multiplyConvolutions } from '../onnx/integer-convolutions.ts';
import { type OnnxModel, readModel, type ValueInfo, writeModel } from '../onnx/model.ts';
import { extractSubgraph } from '../onnx/subgraph.ts';
import { ELEMENT } from '../onnx/tensor.ts';
import { FEATURE_ROWS } from './features.ts';

/** The official file, as the model store knows it. */
export const MODEL = 'kokoro-82m-q8';

/** Values of the official graph at which it is cut, by their names there. */
export const SEAMS = {
  /** What ALBERT makes of the tokens. */
  read: '/encoder/bert_encoder/Add_output_0',
  /** Features of the tokens as they shall be said, in all of their frames: what pitch and energy are made of. */
  said: '/encoder/MatMul_output_0',
  durations: '/encoder/Round_output_0',
  asr: '/encoder/MatMul_1_output_0',
  f0: '/encoder/Reshape_output_0',
  energy: '/encoder/Reshape_1_output_0',
} as const;

/** Changes when the cut changes, so that a cached part of an older cut is made anew. */
export const CUT_VERSION = 3;

const READ_WIDTH = 512;
const SAID_ROWS = 640;
const ASR: ValueInfo = { name: SEAMS.asr, elementType: ELEMENT.float, dims: [1, FEATURE_ROWS, 'frames'] };

/** Writes the part of an official Kokoro file that times the tokens and encodes the text. */
export async function cutTiming(modelPath: string, outPath: string): Promise<void> {
  const model = readModel(await readFile(modelPath));
  const read: ValueInfo = { name: SEAMS.read, elementType: ELEMENT.float, dims: [1, 'tokens', READ_WIDTH] };
  const outputs: ValueInfo[] = [
    ASR,
    { name: SEAMS.said, elementType: ELEMENT.float, dims: [1, SAID_ROWS, 'frames'] },
    { name: SEAMS.durations, elementType: ELEMENT.float, dims: [1, 'tokens'] },
  ];
  const cut = extractSubgraph(model, { inputs: [...model.graph.inputs, read], outputs });
  await writeFile(outPath, writeModel(multiplyConvolutions(cut)));
}

/** Writes the stock decoder (features and style to samples) of an official Kokoro file. */
export async function cutStockDecoder(modelPath: string, outPath: string): Promise<void> {
  const model = readModel(await readFile(modelPath));
  const contours = [SEAMS.f0, SEAMS.energy].map(
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
