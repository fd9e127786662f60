import { intAttribute, intsAttribute } from '../onnx/attribute.ts';
import type { OnnxModel, OnnxNode } from '../onnx/model.ts';
import { ELEMENT, floatTensor, type OnnxTensor } from '../onnx/tensor.ts';
import type { KaldiNetwork } from './kaldi-network.ts';

export const CEPSTRA_PER_FRAME = 23;
export const X_VECTOR_SIZE = 128;
/** Context of the frame layers on either side. */
export const CONTEXT_FRAMES = 7;

/** Kernel size and dilation of the time-delay layers, in frames. */
export const TDNN_LAYERS = [
  { name: 'tdnn1', kernel: 5, dilation: 1 },
  { name: 'tdnn2', kernel: 3, dilation: 2 },
  { name: 'tdnn3', kernel: 3, dilation: 3 },
  { name: 'tdnn4', kernel: 1, dilation: 1 },
  { name: 'tdnn5', kernel: 1, dilation: 1 },
] as const;
/** Lower limit of variances, as in Kaldi. */
export const VARIANCE_MIN = 1e-10;

/**
 * The x-vector network as an ONNX model: time-delay layers, statistics pooling (mean and deviation over time) and
 * one affine layer. Input `cepstra` [1, 23, frames], output `embedding` [1, 128].
 */
export function buildXVectorModel(network: KaldiNetwork): OnnxModel {
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
  for (const { name, kernel, dilation } of TDNN_LAYERS) {
    const { rows, columns, weights, bias } = network.affine(`${name}.affine`);
    const { scale, offset } = network.norm(`${name}.batchnorm`);
    const channels = columns / kernel;
    const kernelWeights = constant(
      `${name}.weights`,
      [rows, channels, kernel],
      byChannel(weights, channels, kernel),
    );
    const inputs = [value, kernelWeights, constant(`${name}.bias`, [rows], bias)];
    const steps = [intsAttribute('kernel_shape', [kernel]), intsAttribute('dilations', [dilation])];
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
  add('Gemm', inputs, 'embedding', [intAttribute('transB', 1)]);

  return {
    irVersion: 8,
    opsets: [{ domain: '', version: 15 }],
    metadata: new Map(),
    otherFields: [],
    graph: {
      name: 'x-vector',
      nodes,
      initializers,
      inputs: [{ name: 'cepstra', elementType: ELEMENT.float, dims: [1, CEPSTRA_PER_FRAME, 'frames'] }],
      outputs: [{ name: 'embedding', elementType: ELEMENT.float, dims: [1, X_VECTOR_SIZE] }],
    },
  };
}

/** Reorders weights from Kaldi's frame-major layout to the channel-major layout of a convolution. */
export function byChannel(weights: Float32Array, channels: number, frames: number): Float32Array {
  return weights.map((_, index) => {
    const frame = index % frames;
    const channel = Math.floor(index / frames) % channels;
    const row = Math.floor(index / (frames * channels));
    return weights[row * frames * channels + frame * channels + channel]!;
  });
}
