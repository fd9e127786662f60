import { readFile } from 'node:fs/promises';
import { intAttribute } from '../../onnx/attribute.ts';
import { flattenDepthwiseConvolutions } from '../../onnx/depthwise-convolutions.ts';
import { type OnnxGraph, type OnnxModel, type OnnxNode, readModel, writeModel } from '../../onnx/model.ts';
import { makeNode } from '../../onnx/node.ts';
import { extractSubgraph, GraphIndex } from '../../onnx/subgraph.ts';
import { ELEMENT, int64Tensor, type OnnxTensor } from '../../onnx/tensor.ts';
import { FEATURE_ROWS } from './features.ts';

/** Text features of each token. Behind it the file repeats them for the frames of the token. */
export const TEXT_OUTPUT = '/text_leave/Add_output_0';
/** Scales and shifts of all layer normalizations that depend on the style: output of one network, input of the other. */
export const NORMS = 'norms';

const NORM_SIZES = 'norm_sizes';
const NORMS_SHAPE = 'norms_shape';

/** A layer normalization whose result is scaled and shifted by values of the style. */
interface StyledNorm {
  readonly scale: string;
  readonly shift: string;
  readonly channels: number;
}

/** The networks of the front's file. */
export interface FrontNetworks {
  /** `style` to `norms`. */
  readonly style: Uint8Array;
  /** `input_ids`, `norms` and `speed` to durations, text features of the tokens, pitch and energy. */
  readonly front: Uint8Array;
}

/**
 * Reads the file of the front as two networks with the same results. What depends on the style alone is 5 % of the time for
 * a few words, and equal for all texts with this style.
 */
export async function readFrontNetworks(path: string): Promise<FrontNetworks> {
  const { style, front } = splitFront(readModel(await readFile(path)));
  return { style: writeModel(style), front: writeModel(flattenDepthwiseConvolutions(front)) };
}

function splitFront(model: OnnxModel): { readonly style: OnnxModel; readonly front: OnnxModel } {
  const { graph } = model;
  const norms = findStyledNorms(graph);
  const values = norms.reduce((sum, { channels }) => sum + 2 * channels, 0);
  const normsInfo = { name: NORMS, elementType: ELEMENT.float, dims: [values] };
  const style: OnnxModel = {
    ...model,
    graph: {
      ...graph,
      nodes: [...graph.nodes, ...joinParts(norms)],
      initializers: [...graph.initializers, int64Tensor(NORMS_SHAPE, [1], [values])],
    },
  };
  const partOf = new Map(
    norms.flatMap((norm) => [norm.scale, norm.shift].map((value, part) => [value, partNames(norm)[part]!])),
  );
  const front: OnnxModel = {
    ...model,
    graph: {
      ...graph,
      nodes: [
        makeNode('Split', [NORMS, NORM_SIZES], norms.flatMap(partNames), [intAttribute('axis', 0)]),
        ...graph.nodes.map((node) => ({
          ...node,
          inputs: node.inputs.map((value) => partOf.get(value) ?? value),
        })),
      ],
      initializers: [...graph.initializers, int64Tensor(NORM_SIZES, [2 * norms.length], sizesOf(norms))],
    },
  };
  const inputsNamed = (name: string) => graph.inputs.filter((input) => input.name === name);
  const text = { name: TEXT_OUTPUT, elementType: ELEMENT.float, dims: [1, 'tokens', FEATURE_ROWS] };
  return {
    style: extractSubgraph(style, { inputs: inputsNamed('style'), outputs: [normsInfo] }),
    front: extractSubgraph(front, {
      inputs: [...inputsNamed('input_ids'), normsInfo, ...inputsNamed('speed')],
      outputs: graph.outputs.map((output) => (output.name === 'asr' ? text : output)),
    }),
  };
}

function sizesOf(norms: readonly StyledNorm[]): number[] {
  return norms.flatMap(({ channels }) => [channels, channels]);
}

/** Names of scale and shift in the front. */
function partNames({ scale, shift }: StyledNorm): [scale: string, shift: string] {
  return [`${NORMS}/${scale}`, `${NORMS}/${shift}`];
}

function joinParts(norms: readonly StyledNorm[]): OnnxNode[] {
  const parts = norms.flatMap(({ scale, shift }) => [scale, shift]);
  return [
    makeNode('Concat', parts, [`${NORMS}/joined`], [intAttribute('axis', -1)]),
    makeNode('Reshape', [`${NORMS}/joined`, NORMS_SHAPE], [NORMS]),
  ];
}

function findStyledNorms(graph: OnnxGraph): StyledNorm[] {
  const index = new GraphIndex(graph);
  const tensors = new Map(graph.initializers.map((tensor) => [tensor.name, tensor]));
  const onlyReader = (node: OnnxNode, opType: string) => {
    const [reader, ...others] = index.consumersOf(node.outputs[0]!);
    return others.length === 0 && reader?.opType === opType ? reader : undefined;
  };
  const isOfStyle = (value: string) => {
    const ancestors = index.ancestorsOf(value);
    return ancestors.has('style') && !ancestors.has('input_ids');
  };
  return graph.nodes.flatMap((norm) => {
    const weight: OnnxTensor | undefined = tensors.get(norm.inputs[1] ?? '');
    if (norm.opType !== 'LayerNormalization' || weight === undefined || norm.inputs.length < 3) return [];
    const scaling = onlyReader(norm, 'Mul');
    const shifting = scaling && onlyReader(scaling, 'Add');
    const scale = scaling?.inputs.find(isOfStyle);
    const shift = shifting?.inputs.find(isOfStyle);
    if (scale === undefined || shift === undefined) return [];
    return [{ scale, shift, channels: weight.dims[0]! }];
  });
}
