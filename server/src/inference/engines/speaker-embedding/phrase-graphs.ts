import { intAttribute, intsAttribute } from '../onnx/attribute.ts';
import type { OnnxModel, OnnxNode, ValueInfo } from '../onnx/model.ts';
import { makeNode } from '../onnx/node.ts';
import { ELEMENT, floatTensor, type OnnxTensor } from '../onnx/tensor.ts';
import type { AffineLayer, KaldiNetwork, NormLayer } from './kaldi-network.ts';
import { byChannel, CEPSTRA_PER_FRAME, TDNN_LAYERS, VARIANCE_MIN, X_VECTOR_SIZE } from './x-vector-graph.ts';

/** Frames whose statistics are summed up: embeddings of a phrase begin and end at multiples of this. */
export const BLOCK_FRAMES = 5;

/** Whitening that makes embeddings of different recordings comparable: mean subtraction and a linear transform. */
export interface Whitening {
  readonly mean: Float32Array;
  /** Row by row. */
  readonly weights: Float32Array;
}

/**
 * The time-delay layers of the x-vector network. Input `cepstra` [1, 23, frames], outputs `means` and `mean-squares`
 * [1, channels, blocks] over the frames of each block. Every normalisation is part of the layer after it.
 */
export function buildFrameModel(network: KaldiNetwork): OnnxModel {
  const nodes: OnnxNode[] = [];
  const initializers: OnnxTensor[] = [];
  let value = 'cepstra';
  let norm: NormLayer | undefined;
  for (const { name, kernel, dilation } of TDNN_LAYERS) {
    const layer = network.affine(`${name}.affine`);
    const { rows, columns, weights, bias } = norm === undefined ? layer : afterNorm(layer, norm);
    const channels = columns / kernel;
    initializers.push(
      floatTensor(`${name}.weights`, [rows, channels, kernel], byChannel(weights, channels, kernel)),
      floatTensor(`${name}.bias`, [rows], bias),
    );
    const steps = [intsAttribute('kernel_shape', [kernel]), intsAttribute('dilations', [dilation])];
    nodes.push(
      makeNode('Conv', [value, `${name}.weights`, `${name}.bias`], [`${name}.conv`], steps),
      makeNode('Relu', [`${name}.conv`], [`${name}.relu`]),
    );
    value = `${name}.relu`;
    norm = network.norm(`${name}.batchnorm`);
  }
  const blocks = [intsAttribute('kernel_shape', [BLOCK_FRAMES]), intsAttribute('strides', [BLOCK_FRAMES])];
  nodes.push(
    makeNode('AveragePool', [value], ['means'], blocks),
    makeNode('Mul', [value, value], ['squares']),
    makeNode('AveragePool', ['squares'], ['mean-squares'], blocks),
  );
  const channels = network.affine('tdnn5.affine').rows;
  return modelOf('x-vector-frames', {
    nodes,
    initializers,
    inputs: [float('cepstra', [1, CEPSTRA_PER_FRAME, 'frames'])],
    outputs: ['means', 'mean-squares'].map((name) => float(name, [1, channels, 'blocks'])),
  });
}

/**
 * The layers after the time-delay layers, for several ranges of a phrase. Inputs `shares` [ranges, blocks], the share
 * of each block in a range, and the outputs of the frame model as [channels, blocks]. Output `embeddings`
 * [ranges, 128], whitened, not of unit length.
 */
export function buildPoolingModel(network: KaldiNetwork, whitening: Whitening): OnnxModel {
  const { rows, columns, weights, bias } = whitened(
    afterPooledNorm(network.affine('tdnn6.affine'), network.norm('tdnn5.batchnorm')),
    whitening,
  );
  const transposed = [intAttribute('transB', 1)];
  const nodes = [
    makeNode('Gemm', ['shares', 'means'], ['mean'], transposed),
    makeNode('Gemm', ['shares', 'mean-squares'], ['mean-square'], transposed),
    makeNode('Mul', ['mean', 'mean'], ['square-mean']),
    makeNode('Sub', ['mean-square', 'square-mean'], ['variance']),
    makeNode('Max', ['variance', 'variance-min'], ['variance-clipped']),
    makeNode('Sqrt', ['variance-clipped'], ['deviation']),
    makeNode('Concat', ['mean', 'deviation'], ['statistics'], [intAttribute('axis', 1)]),
    makeNode('Gemm', ['statistics', 'tdnn6.weights', 'tdnn6.bias'], ['embeddings'], transposed),
  ];
  return modelOf('x-vector-pooling', {
    nodes,
    initializers: [
      floatTensor('variance-min', [1], Float32Array.of(VARIANCE_MIN)),
      floatTensor('tdnn6.weights', [rows, columns], weights),
      floatTensor('tdnn6.bias', [rows], bias),
    ],
    inputs: [
      float('shares', ['ranges', 'blocks']),
      ...['means', 'mean-squares'].map((name) => float(name, [columns / 2, 'blocks'])),
    ],
    outputs: [float('embeddings', ['ranges', X_VECTOR_SIZE])],
  });
}

function float(name: string, dims: readonly (number | string)[]): ValueInfo {
  return { name, elementType: ELEMENT.float, dims };
}

function modelOf(name: string, graph: Omit<OnnxModel['graph'], 'name'>): OnnxModel {
  return {
    irVersion: 8,
    opsets: [{ domain: '', version: 15 }],
    metadata: new Map(),
    otherFields: [],
    graph: { name, ...graph },
  };
}

/** A layer that includes the normalisation of its input; its columns repeat the channels of the input. */
function afterNorm(layer: AffineLayer, { scale, offset }: NormLayer): AffineLayer {
  const channelOf = (column: number) => column % scale.length;
  return compose(layer, (column) => ({
    scale: scale[channelOf(column)]!,
    offset: offset[channelOf(column)]!,
  }));
}

/** The same for means in the first half of the columns and deviations in the second. */
function afterPooledNorm(layer: AffineLayer, { scale, offset }: NormLayer): AffineLayer {
  return compose(layer, (column) =>
    column < scale.length
      ? { scale: scale[column]!, offset: offset[column]! }
      : { scale: Math.abs(scale[column - scale.length]!), offset: 0 },
  );
}

function compose(
  layer: AffineLayer,
  inputOf: (column: number) => { readonly scale: number; readonly offset: number },
): AffineLayer {
  const { rows, columns } = layer;
  const inputs = Array.from({ length: columns }, (_, column) => inputOf(column));
  const weights = layer.weights.map((weight, index) => weight * inputs[index % columns]!.scale);
  const bias = layer.bias.map((value, row) =>
    inputs.reduce((sum, { offset }, column) => sum + layer.weights[row * columns + column]! * offset, value),
  );
  return { rows, columns, weights, bias };
}

/** A layer that includes the whitening of its output. */
function whitened(layer: AffineLayer, { mean, weights: transform }: Whitening): AffineLayer {
  const { rows, columns } = layer;
  const outputs = [...layer.bias.keys()];
  const combine = (row: number, weightOf: (output: number) => number) =>
    outputs.reduce((sum, output) => sum + transform[row * rows + output]! * weightOf(output), 0);
  const weights = layer.weights.map((_, index) => {
    const column = index % columns;
    return combine(Math.floor(index / columns), (output) => layer.weights[output * columns + column]!);
  });
  const bias = layer.bias.map((_, row) => combine(row, (output) => layer.bias[output]! - mean[output]!));
  return { rows, columns, weights, bias };
}
