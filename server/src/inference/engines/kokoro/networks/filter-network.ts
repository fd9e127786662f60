import { readFile } from 'node:fs/promises';
import { readTensorAttribute } from '../../onnx/attribute.ts';
import { flattenDepthwiseConvolutions } from '../../onnx/depthwise-convolutions.ts';
import { type OnnxGraph, type OnnxModel, readModel, type ValueInfo, writeModel } from '../../onnx/model.ts';
import { makeNode } from '../../onnx/node.ts';
import { extractSubgraph, GraphIndex } from '../../onnx/subgraph.ts';
import { ELEMENT, int64Tensor, type OnnxTensor, readIntegers } from '../../onnx/tensor.ts';
import { OnnxError } from '../../onnx/wire.ts';
import { BINS } from './excitation.ts';
import { FEATURE_ROWS } from './features.ts';

/** Values at which the file of a decoder is cut: the filters of each hop. Two hops are one row of the complex factor. */
export const FILTER_OUTPUTS = {
  gain: '/Exp_output_0',
  real: '/pulse_real/Add_output_0',
  imaginary: '/pulse_imaginary/Add_output_0',
  noiseGain: '/Exp_1_output_0',
  depth: '/Mul_13_output_0',
} as const;

/** Inputs that the file does not have: time steps of the last layer, from the first to before the second. */
export const HEARD_INPUTS = { from: 'heard_from', to: 'heard_to' } as const;

/** Text features in the file, in rows of `frames` values, and instead of them, frame by frame. */
const TEXT_ROWS = 'asr';
export const TEXT_INPUT = 'text';

/** The values from which the last layer computes the filters. */
const LAST_VALUES = '/norm/LayerNormalization_output_0';
const LAST_QUANTIZED = `${LAST_VALUES}_quantized`;
const TIME_AXIS = 'time_axis';

/** Inputs of the part that is not used: spectra of the source. */
const SOURCE_INPUT = /^(?:pulse|noise|modulated)_(?:real|imaginary)$/;

/**
 * Reads the part of a decoder that computes filters from features. What follows in the file, filtering and the inverse
 * Fourier transform, takes ten passes over the spectra: the server does it hop by hop (`SpectrumKernel`). The last layer
 * is computed for the time steps that are heard only: in a first window, two fifths of them are context.
 */
export async function readFilterNetwork(path: string): Promise<Uint8Array> {
  const model = readModel(await readFile(path));
  const output = (name: string, dims: ValueInfo['dims']): ValueInfo => ({
    name,
    elementType: ELEMENT.float,
    ...(dims && { dims }),
  });
  const filters = extractSubgraph(model, {
    inputs: model.graph.inputs.filter(({ name }) => !SOURCE_INPUT.test(name)),
    outputs: [
      output(FILTER_OUTPUTS.gain, [1, 'hops', BINS]),
      output(FILTER_OUTPUTS.real, [1, 'half_frames', 2 * BINS]),
      output(FILTER_OUTPUTS.imaginary, [1, 'half_frames', 2 * BINS]),
      output(FILTER_OUTPUTS.noiseGain, [1, 'hops', BINS]),
      output(FILTER_OUTPUTS.depth, [1, 'hops', 1]),
    ],
  });
  const heard = takeHeard(takeFrames(filters));
  return writeModel(flattenDepthwiseConvolutions(extractSubgraph(heard, heard.graph)));
}

/** Text features frame by frame, without their transposition. Shapes no longer depend on the input. */
function takeFrames(model: OnnxModel): OnnxModel {
  const { graph } = model;
  const index = new GraphIndex(graph);
  const transposition = index.consumersOf(TEXT_ROWS).find(({ opType }) => opType === 'Transpose');
  if (transposition === undefined) throw new OnnxError(`"${TEXT_ROWS}" is not transposed.`);
  const shapes = new Map<string, OnnxTensor>();
  for (const { opType, inputs, outputs } of graph.nodes) {
    const [, shape = ''] = inputs;
    if (opType !== 'Reshape' || !index.ancestorsOf(shape).has(TEXT_ROWS)) continue;
    const [width] = readIntegers(readConstant(graph, index.producerOf(shape)!.inputs.at(-1)!));
    // Without a given width, these are rows of an output.
    const output = graph.outputs.find(({ name }) => index.ancestorsOf(name).has(outputs[0]!));
    const columns = width === -1 ? Number(output?.dims?.at(-1)) : width!;
    shapes.set(shape, int64Tensor(`${shape}/any_length`, [3], [1, -1, columns]));
  }
  const replaced = (name: string) =>
    name === transposition.outputs[0] ? TEXT_INPUT : (shapes.get(name)?.name ?? name);
  const text = { name: TEXT_INPUT, elementType: ELEMENT.float, dims: [1, 'frames', FEATURE_ROWS] };
  return {
    ...model,
    graph: {
      ...graph,
      nodes: graph.nodes.map((node) => ({ ...node, inputs: node.inputs.map(replaced) })),
      initializers: [...graph.initializers, ...shapes.values()],
      inputs: graph.inputs.map((input) => (input.name === TEXT_ROWS ? text : input)),
    },
  };
}

function readConstant(graph: OnnxGraph, name: string): OnnxTensor {
  const node = graph.nodes.find(({ outputs }) => outputs[0] === name);
  const tensor =
    graph.initializers.find((candidate) => candidate.name === name) ??
    (node && readTensorAttribute(node.attributes, 'value'));
  if (tensor === undefined) throw new OnnxError(`"${name}" is not a constant.`);
  return tensor;
}

/** The last layer for time steps that are heard. They are quantized with all others, so that their values stay the same. */
function takeHeard(model: OnnxModel): OnnxModel {
  const { graph } = model;
  const heard = (name: string) => `${name}/heard`;
  const slice = (name: string) =>
    makeNode('Slice', [name, HEARD_INPUTS.from, HEARD_INPUTS.to, TIME_AXIS], [heard(name)]);
  const readsAll = new Set(['LayerNormalization', 'DynamicQuantizeLinear']);
  const isSliced = (name: string) => name === LAST_VALUES || name === LAST_QUANTIZED;
  return {
    ...model,
    graph: {
      ...graph,
      nodes: graph.nodes.flatMap((node) => {
        const slices = node.outputs.filter(isSliced).map(slice);
        if (readsAll.has(node.opType)) return [node, ...slices];
        return [
          { ...node, inputs: node.inputs.map((name) => (isSliced(name) ? heard(name) : name)) },
          ...slices,
        ];
      }),
      initializers: [...graph.initializers, int64Tensor(TIME_AXIS, [1], [1])],
      inputs: [
        ...graph.inputs,
        ...Object.values(HEARD_INPUTS).map((name) => ({ name, elementType: ELEMENT.int64, dims: [1] })),
      ],
    },
  };
}
