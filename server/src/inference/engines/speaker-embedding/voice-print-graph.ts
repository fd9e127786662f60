import { intAttribute, intsAttribute } from '../onnx/attribute.ts';
import type { OnnxModel, OnnxNode } from '../onnx/model.ts';
import { ELEMENT, floatTensor, type OnnxTensor } from '../onnx/tensor.ts';
import type { KaldiNetwork } from './kaldi-network.ts';

export const CEPSTRA_PER_FRAME = 23;
export const PRINT_VALUES = 128;
/** Frames on both sides of one that its layers look at. */
export const CONTEXT_FRAMES = 7;

/** How many frames a layer sees, and how far they are apart. */
const FRAME_LAYERS = [
  { name: 'tdnn1', frames: 5, apart: 1 },
  { name: 'tdnn2', frames: 3, apart: 2 },
  { name: 'tdnn3', frames: 3, apart: 3 },
  { name: 'tdnn4', frames: 1, apart: 1 },
  { name: 'tdnn5', frames: 1, apart: 1 },
] as const;
/** Variances below this are taken for it, as Kaldi does. */
const VARIANCE_MIN = 1e-10;

/**
 * The x-vector network as an ONNX model: layers that look at a few frames each, then mean and deviation over
 * time, then one more layer. Takes `cepstra` [1, 23, frames] and gives `print` [1, 128].
 */
export function buildVoicePrintModel(network: KaldiNetwork): OnnxModel {
  const nodes: OnnxNode[] = [];
  const initializers: OnnxTensor[] = [];
  const constant = (name: string, dims: readonly number[], values: Float32Array): string => {
    initializers.push(floatTensor(name, dims, values));
    return name;
  };
  const add = (opType: string, inputs: string[], output: string, attributes: OnnxNode['attributes'] = []) => {
    nodes.push({ name: output, opType, domain: '', inputs, outputs: [output], attributes });
    return output;
  };

  let value = 'cepstra';
  for (const { name, frames, apart } of FRAME_LAYERS) {
    const { rows, columns, weights, bias } = network.affine(`${name}.affine`);
    const { scale, offset } = network.norm(`${name}.batchnorm`);
    const channels = columns / frames;
    const kernel = constant(
      `${name}.weights`,
      [rows, channels, frames],
      byChannel(weights, channels, frames),
    );
    const inputs = [value, kernel, constant(`${name}.bias`, [rows], bias)];
    const steps = [intsAttribute('kernel_shape', [frames]), intsAttribute('dilations', [apart])];
    const active = add('Relu', [add('Conv', inputs, `${name}.conv`, steps)], `${name}.relu`);
    const scaled = add('Mul', [active, constant(`${name}.scale`, [1, rows, 1], scale)], `${name}.scaled`);
    value = add('Add', [scaled, constant(`${name}.offset`, [1, rows, 1], offset)], `${name}.out`);
  }

  const overTime = [intsAttribute('axes', [2]), intAttribute('keepdims', 0)];
  const mean = add('ReduceMean', [value], 'mean', overTime);
  const meanSquare = add('ReduceMean', [add('Mul', [value, value], 'square')], 'mean-square', overTime);
  const variance = add('Sub', [meanSquare, add('Mul', [mean, mean], 'square-mean')], 'variance');
  const least = constant('variance-min', [1], Float32Array.of(VARIANCE_MIN));
  const deviation = add('Sqrt', [add('Max', [variance, least], 'variance-clipped')], 'deviation');
  const both = add('Concat', [mean, deviation], 'statistics', [intAttribute('axis', 1)]);
  const last = network.affine('tdnn6.affine');
  const weights = constant('tdnn6.weights', [last.rows, last.columns], last.weights);
  const inputs = [both, weights, constant('tdnn6.bias', [last.rows], last.bias)];
  add('Gemm', inputs, 'print', [intAttribute('transB', 1)]);

  return {
    irVersion: 8,
    opsets: [{ domain: '', version: 15 }],
    metadata: new Map(),
    otherFields: [],
    graph: {
      name: 'voice-print',
      nodes,
      initializers,
      inputs: [{ name: 'cepstra', elementType: ELEMENT.float, dims: [1, CEPSTRA_PER_FRAME, 'frames'] }],
      outputs: [{ name: 'print', elementType: ELEMENT.float, dims: [1, PRINT_VALUES] }],
    },
  };
}

/** Kaldi keeps the values of a frame together; a convolution keeps those of a channel together. */
function byChannel(weights: Float32Array, channels: number, frames: number): Float32Array {
  return weights.map((_, index) => {
    const frame = index % frames;
    const channel = Math.floor(index / frames) % channels;
    const row = Math.floor(index / (frames * channels));
    return weights[row * frames * channels + frame * channels + channel]!;
  });
}
