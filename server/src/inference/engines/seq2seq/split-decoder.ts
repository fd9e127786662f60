import { intAttribute, readGraphAttributes } from '../onnx/attribute.ts';
import { fuseLayerNorms } from '../onnx/layer-norms.ts';
import { type OnnxGraph, type OnnxModel, type OnnxNode, readGraph, type ValueInfo } from '../onnx/model.ts';
import { makeNode } from '../onnx/node.ts';
import { extractSubgraph, GraphIndex } from '../onnx/subgraph.ts';
import { ELEMENT, floatTensor, int64Tensor } from '../onnx/tensor.ts';
import { OnnxError } from '../onnx/wire.ts';
import {
  type Attention,
  attentionNode,
  findAttention,
  readRotation,
  rotationNode,
  transposeNode,
  withContribOperators,
} from './attention.ts';

/** A text decoder as two models. Each weight is in only one of them. */
export interface DecoderParts {
  /** Encoder output to the keys and values of the cross-attention. Runs once per segment. */
  readonly memory: OnnxModel;
  /** Tokens and the key-value cache to the logits of the next token. Runs once per token. */
  readonly step: OnnxModel;
  readonly layers: number;
}

/** Names of the inputs and outputs of the parts. They are stored in derived files of `DECODER_VERSION`. */
export const PORT = {
  hidden: 'encoder_hidden_states',
  tokens: 'input_ids',
  mask: 'self_mask',
  positions: 'logit_positions',
  logits: 'next_logits',
  past: (layer: number, kind: 'key' | 'value') => `past_key_values.${layer}.decoder.${kind}`,
  newTokens: (layer: number, kind: 'key' | 'value') => `said.${layer}.${kind}`,
  memoryIn: (layer: number, kind: 'key' | 'value') => `past_key_values.${layer}.encoder.${kind}`,
  memoryOut: (layer: number, kind: 'key' | 'value') => `present.${layer}.encoder.${kind}`,
  attention: (layer: number) => `cross_attention.${layer}`,
} as const;

const KINDS = ['key', 'value'] as const;
const KEY_SCALE = 'key_scale';
/** Names of values inside the step. */
const NAME = {
  pastShape: 'past_shape',
  position: 'first_position',
  tokenAxis: 'token_axis',
  splitShape: 'split_heads',
  mergedShape: 'merged_heads',
  unsplitShape: 'unsplit_heads',
  unsplitPast: 'unsplit_past',
} as const;
/** Size of the tables of rotary position embeddings: above the number of tokens of any segment. */
const POSITIONS_MAX = 1024;

interface AttentionShape {
  readonly heads: number;
  /** Of one head. */
  readonly width: number;
}

/**
 * Splits a "merged" decoder of Optimum, which has one `If` with a branch for the first tokens and one for the
 * following tokens. The first branch becomes `memory`, the second `step`, which accepts any number of tokens after
 * any number of others and outputs the logits after the tokens at given positions and the cross-attention of each layer.
 */
export function splitDecoder(model: OnnxModel): DecoderParts {
  const choice = model.graph.nodes.find((node) => node.opType === 'If');
  if (choice === undefined) throw new OnnxError('This is not a merged decoder: it has no branches.');
  const around = model.graph.nodes.filter((node) => node !== choice);
  const branches = choice.attributes.flatMap((attribute) =>
    readGraphAttributes([attribute]).map((body) => inline(model.graph, around, readGraph(body))),
  );
  const usesPast = (graph: OnnxGraph) =>
    graph.nodes.some((node) => node.inputs.includes(PORT.past(0, 'key')));
  const following = branches.find(usesPast);
  const first = branches.find((graph) => !usesPast(graph));
  if (following === undefined || first === undefined) {
    throw new OnnxError(
      'This is not a merged decoder: its branches are not a first step and a following one.',
    );
  }
  const layers = choice.outputs.filter((name) => /^present\.\d+\.encoder\.key$/.test(name)).length;
  return {
    memory: extractMemory({ ...model, graph: first }, layers),
    step: extractStep({ ...model, graph: following }, layers),
    layers,
  };
}

function inline(outer: OnnxGraph, around: readonly OnnxNode[], body: OnnxGraph): OnnxGraph {
  return {
    ...outer,
    nodes: [...around, ...body.nodes],
    initializers: [...outer.initializers, ...body.initializers],
  };
}

/**
 * The shapes of keys and values are computed from the decoder state, which would include the entire decoder:
 * they are replaced by constants. Keys are output as every step needs them: transposed, with the scale of the attention.
 */
function extractMemory(model: OnnxModel, layers: number): OnnxModel {
  const index = new GraphIndex(model.graph);
  const shape = readShape(model.graph);
  const outputs: ValueInfo[] = [];
  const shapes = new Set<string>();
  const replaced = new Map<OnnxNode, OnnxNode[]>();
  for (let layer = 0; layer < layers; layer++) {
    for (const kind of KINDS) {
      const name = PORT.memoryOut(layer, kind);
      const transpose = index.producerOf(name);
      const reshape = index.producerOf(transpose?.inputs[0] ?? '');
      if (transpose === undefined || reshape?.opType !== 'Reshape') {
        throw new OnnxError(`"${name}" is not made as expected.`);
      }
      shapes.add(reshape.inputs[1]!);
      if (kind === 'key') replaced.set(transpose, scaledKeys(reshape.outputs[0]!, name));
      outputs.push({ name, elementType: ELEMENT.float, dims: memoryDims(kind, shape) });
    }
  }
  const constants = [
    ...[...shapes].map((name) => int64Tensor(name, [4], [1, -1, shape.heads, shape.width])),
    floatTensor(KEY_SCALE, [], Float32Array.of(1 / Math.sqrt(shape.width))),
  ];
  const nodes = model.graph.nodes
    .filter((node) => !node.outputs.some((output) => shapes.has(output)))
    .flatMap((node) => replaced.get(node) ?? [node]);
  const graph = { ...model.graph, nodes, initializers: [...model.graph.initializers, ...constants] };
  const hidden = model.graph.inputs.find((input) => input.name === PORT.hidden)!;
  return extractSubgraph({ ...model, graph }, { inputs: [hidden], outputs });
}

function scaledKeys(from: string, to: string): OnnxNode[] {
  const transposed = `${to}.transposed`;
  return [transposeNode(from, transposed, [0, 2, 3, 1]), makeNode('Mul', [transposed, KEY_SCALE], [to])];
}

/** The dimensions of keys (transposed) and values of the cross-attention. */
function memoryDims(kind: 'key' | 'value', { heads, width }: AttentionShape): (number | string)[] {
  return kind === 'key' ? [1, heads, width, 'frames'] : [1, heads, 'frames', width];
}

function extractStep(model: OnnxModel, layers: number): OnnxModel {
  const { graph } = model;
  const index = new GraphIndex(graph);
  const shape = readShape(graph);
  const rotation = readRotation(graph, POSITIONS_MAX);
  const inputs: ValueInfo[] = [
    ...graph.inputs.filter(({ name }) => name === PORT.tokens),
    { name: PORT.positions, elementType: ELEMENT.int64, dims: ['positions'] },
    { name: PORT.mask, elementType: ELEMENT.float, dims: [1, 1, 'tokens', 'total'] },
  ];
  const outputs: ValueInfo[] = [
    { name: PORT.logits, elementType: ELEMENT.float, dims: [1, 'positions', 'vocabulary'] },
  ];
  const replaced = new Map<OnnxNode, readonly OnnxNode[]>();
  for (let layer = 0; layer < layers; layer++) {
    const self = findAttention(graph, index, `layers.${layer}/self_attn`);
    const cross = findAttention(graph, index, `layers.${layer}/encoder_attn`);
    const rotate = (from: string, to: string) =>
      rotation === undefined
        ? makeNode('Identity', [from], [to])
        : rotationNode(from, to, {
            position: NAME.position,
            heads: shape.heads,
            rotatedWidth: rotation.rotatedWidth,
          });
    replaced.set(self.last, selfAttention(self, { layer, heads: shape.heads, rotate }));
    replaced.set(cross.last, crossAttention(cross, layer));
    for (const kind of KINDS) {
      inputs.push(
        { name: PORT.memoryIn(layer, kind), elementType: ELEMENT.float, dims: memoryDims(kind, shape) },
        tokenValues(PORT.past(layer, kind), 'past_tokens', shape),
      );
      outputs.push(tokenValues(PORT.newTokens(layer, kind), 'tokens', shape));
    }
    outputs.push({ name: PORT.attention(layer), elementType: ELEMENT.float });
  }
  const step = {
    ...graph,
    nodes: [
      makeNode('Shape', [PORT.past(0, 'key')], [NAME.pastShape]),
      makeNode('Gather', [NAME.pastShape, NAME.tokenAxis], [NAME.position], [intAttribute('axis', 0)]),
      makeNode('Reshape', [PORT.past(0, 'key'), NAME.unsplitShape], [NAME.unsplitPast]),
      ...graph.nodes.flatMap((node) => replaced.get(node) ?? [readUnsplitPast(node)]),
      ...logitsAtPositions(index),
    ],
    initializers: [
      ...graph.initializers,
      ...(rotation?.tables ?? []),
      int64Tensor(NAME.tokenAxis, [1], [1]),
      int64Tensor(NAME.splitShape, [4], [1, -1, shape.heads, shape.width]),
      int64Tensor(NAME.mergedShape, [3], [1, -1, shape.heads * shape.width]),
      int64Tensor(NAME.unsplitShape, [4], [1, 1, -1, shape.heads * shape.width]),
    ],
  };
  return extractSubgraph(fuseLayerNorms(withContribOperators({ ...model, graph: step })), {
    inputs,
    outputs,
  });
}

/**
 * The export outputs the keys of all tokens at every step, which copies megabytes, and computes the attention with
 * dozens of operators. Here only the keys and values of the new tokens are output, for the cache to append.
 */
function selfAttention(
  attention: Attention,
  { layer, heads, rotate }: { layer: number; heads: number; rotate: (from: string, to: string) => OnnxNode },
): OnnxNode[] {
  const [newKey, newValue] = KINDS.map((kind) => PORT.newTokens(layer, kind));
  const [key, value] = KINDS.map((kind) => `all.${layer}.${kind}`);
  const query = `${newKey}.query`;
  const append = (kind: 'key' | 'value', to: string) =>
    makeNode(
      'Concat',
      [PORT.past(layer, kind), PORT.newTokens(layer, kind)],
      [to],
      [intAttribute('axis', 1)],
    );
  return [
    rotate(attention.query, query),
    rotate(attention.key, newKey!),
    makeNode('Identity', [attention.value], [newValue!]),
    append('key', key!),
    append('value', value!),
    attentionNode({ query, key: key!, value: value!, result: attention.result }, heads, PORT.mask),
  ];
}

/** The cross-attention in separate operators, since its weights are an output. */
function crossAttention({ query, result }: Attention, layer: number): OnnxNode[] {
  const name = (part: string) => `${PORT.attention(layer)}.${part}`;
  const [key, value] = KINDS.map((kind) => PORT.memoryIn(layer, kind));
  return [
    makeNode('Reshape', [query, NAME.splitShape], [name('split')]),
    transposeNode(name('split'), name('query'), [0, 2, 1, 3]),
    makeNode('MatMul', [name('query'), key!], [name('scores')]),
    makeNode('Softmax', [name('scores')], [PORT.attention(layer)], [intAttribute('axis', 3)]),
    makeNode('MatMul', [PORT.attention(layer), value!], [name('heads')]),
    transposeNode(name('heads'), name('tokens'), [0, 2, 1, 3]),
    makeNode('Reshape', [name('tokens'), NAME.mergedShape], [result]),
  ];
}

/** The export reads the number of earlier tokens from the third axis of the keys. */
function readUnsplitPast(node: OnnxNode): OnnxNode {
  const past = PORT.past(0, 'key');
  if (node.opType !== 'Shape' || !node.inputs.includes(past)) return node;
  return { ...node, inputs: [NAME.unsplitPast] };
}

function tokenValues(name: string, tokens: string, { heads, width }: AttentionShape): ValueInfo {
  return { name, elementType: ELEMENT.float, dims: [1, tokens, heads * width] };
}

/**
 * The logits after the tokens at the positions. The export dequantizes the vocabulary matrix at every step, which costs as much as
 * the rest of the decoder; here the product is computed with integers, like all others.
 */
function logitsAtPositions(index: GraphIndex): OnnxNode[] {
  const product = index.producerOf('logits');
  const floatWeights = index.producerOf(product?.inputs[1] ?? '');
  if (product?.opType !== 'MatMul' || floatWeights?.opType !== 'DequantizeLinear') {
    throw new OnnxError('The decoder does not end with a quantised vocabulary.');
  }
  const [weights, weightScale, weightZero] = floatWeights.inputs;
  return [
    makeNode('Gather', [product.inputs[0]!, PORT.positions], ['states'], [intAttribute('axis', 1)]),
    makeNode('DynamicQuantizeLinear', ['states'], ['states_q', 'states_scale', 'states_zero']),
    makeNode('MatMulInteger', ['states_q', weights!, 'states_zero', weightZero!], ['logits_q']),
    makeNode('Cast', ['logits_q'], ['logits_f'], [intAttribute('to', ELEMENT.float)]),
    makeNode('Mul', ['states_scale', weightScale!], ['logits_scale']),
    makeNode('Mul', ['logits_f', 'logits_scale'], ['logits_scaled']),
    makeNode('LogSoftmax', ['logits_scaled'], [PORT.logits], [intAttribute('axis', 2)]),
  ];
}

function readShape(graph: OnnxGraph): AttentionShape {
  const dims = graph.inputs.find((input) => input.name === PORT.past(0, 'key'))?.dims;
  const [, heads, , width] = dims ?? [];
  if (typeof heads !== 'number' || typeof width !== 'number') {
    throw new OnnxError('The decoder has no input for earlier keys.');
  }
  return { heads, width };
}
