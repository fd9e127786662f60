import { intAttribute, intsAttribute, readIntAttribute, readIntsAttribute } from './attribute.ts';
import type { OnnxGraph, OnnxModel, OnnxNode } from './model.ts';
import { GraphIndex } from './subgraph.ts';
import { floatTensor, int64Tensor, type OnnxTensor, readFloats } from './tensor.ts';

const AXES = 'depthwise_axes';

/** A depthwise convolution over time whose input and output are transposed. */
interface Convolution {
  readonly before: OnnxNode;
  readonly node: OnnxNode;
  readonly after: OnnxNode;
  readonly weights: OnnxTensor;
}

/**
 * Replaces depthwise convolutions of `time × channels` by two-dimensional ones of height 1. ONNX Runtime has a kernel for
 * those (blocked channels, transposition included) that takes a sixth of the time; one-dimensional ones it computes channel
 * by channel. The results differ by rounding only.
 */
export function flattenDepthwiseConvolutions(model: OnnxModel): OnnxModel {
  const { graph } = model;
  const convolutions = findConvolutions(graph);
  if (convolutions.length === 0) return model;
  const byNode = new Map(convolutions.map((convolution) => [convolution.node, convolution]));
  const index = new GraphIndex(graph);
  const outputs = new Set(graph.outputs.map(({ name }) => name));
  const isUnused = ({ outputs: [value] }: OnnxNode) =>
    !outputs.has(value!) && index.consumersOf(value!).every((reader) => byNode.has(reader));
  const isDropped = new Set(
    convolutions.flatMap(({ before, after }) => (isUnused(before) ? [before, after] : [after])),
  );
  const flat = new Map(convolutions.map(({ weights }) => [weights, withHeight(weights)]));
  return {
    ...model,
    graph: {
      ...graph,
      nodes: graph.nodes
        .filter((node) => !isDropped.has(node))
        .flatMap((node) => {
          const convolution = byNode.get(node);
          return convolution === undefined ? [node] : flatten(convolution);
        }),
      initializers: [
        ...graph.initializers.map((tensor) => flat.get(tensor) ?? tensor),
        int64Tensor(AXES, [1], [1]),
      ],
    },
  };
}

function findConvolutions(graph: OnnxGraph): Convolution[] {
  const index = new GraphIndex(graph);
  const outputs = new Set(graph.outputs.map(({ name }) => name));
  const tensors = new Map(graph.initializers.map((tensor) => [tensor.name, tensor]));
  const swapsTimeAndChannels = (node: OnnxNode | undefined) =>
    node?.opType === 'Transpose' && String(readIntsAttribute(node.attributes, 'perm')) === '0,2,1';
  /** The only node that reads a value. */
  const onlyReader = (value: string) => {
    const readers = index.consumersOf(value);
    return readers.length === 1 && !outputs.has(value) ? readers[0] : undefined;
  };
  return graph.nodes.flatMap((node) => {
    if (node.opType !== 'Conv') return [];
    const before = index.producerOf(node.inputs[0]!);
    const after = onlyReader(node.outputs[0]!);
    const weights = tensors.get(node.inputs[1]!);
    if (before === undefined || after === undefined || weights === undefined) return [];
    const isBetween = swapsTimeAndChannels(before) && swapsTimeAndChannels(after);
    const isOnlyReader = onlyReader(weights.name) === node;
    return isBetween && isOnlyReader && isDepthwise(node, weights) ? [{ before, node, after, weights }] : [];
  });
}

function isDepthwise({ attributes }: OnnxNode, { dims }: OnnxTensor): boolean {
  const [channels, perGroup, taps] = dims;
  return (
    dims.length === 3 && perGroup === 1 && taps! > 1 && readIntAttribute(attributes, 'group') === channels
  );
}

/** Weights of `channels × 1 × taps` as `channels × 1 × 1 × taps`. */
function withHeight(weights: OnnxTensor): OnnxTensor {
  const [channels, perGroup, taps] = weights.dims;
  return floatTensor(weights.name, [channels!, perGroup!, 1, taps!], readFloats(weights));
}

function flatten({ before, node, after, weights }: Convolution): OnnxNode[] {
  const [, ...parameters] = node.inputs;
  const output = node.outputs[0]!;
  const [raised, input, swapped] = [`${output}/raised`, `${output}/input`, `${output}/swapped`];
  const standard = { name: '', domain: '' } as const;
  const transposed = (inputs: string[], outputs: string[], perm: number[]): OnnxNode => ({
    ...standard,
    opType: 'Transpose',
    inputs,
    outputs,
    attributes: [intsAttribute('perm', perm)],
  });
  return [
    {
      ...standard,
      opType: 'Unsqueeze',
      inputs: [before.inputs[0]!, AXES],
      outputs: [raised],
      attributes: [],
    },
    transposed([raised], [input], [0, 3, 1, 2]),
    { ...node, inputs: [input, ...parameters], attributes: flatAttributes(node, weights) },
    transposed([output], [swapped], [0, 2, 3, 1]),
    { ...standard, opType: 'Squeeze', inputs: [swapped, AXES], outputs: after.outputs, attributes: [] },
  ];
}

function flatAttributes({ attributes }: OnnxNode, { dims }: OnnxTensor) {
  const [channels, , taps] = dims;
  const [left = 0, right = 0] = readIntsAttribute(attributes, 'pads') ?? [];
  const [stride = 1] = readIntsAttribute(attributes, 'strides') ?? [];
  const [dilation = 1] = readIntsAttribute(attributes, 'dilations') ?? [];
  return [
    intAttribute('group', channels!),
    intsAttribute('kernel_shape', [1, taps!]),
    intsAttribute('pads', [0, left, 0, right]),
    intsAttribute('strides', [1, stride]),
    intsAttribute('dilations', [1, dilation]),
  ];
}
