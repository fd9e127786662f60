import { intAttribute, intsAttribute, readGraphAttributes } from '../onnx/attribute.ts';
import { type OnnxGraph, type OnnxModel, type OnnxNode, readGraph, type ValueInfo } from '../onnx/model.ts';
import { extractSubgraph, GraphIndex } from '../onnx/subgraph.ts';
import { ELEMENT, int64Tensor } from '../onnx/tensor.ts';
import { OnnxError } from '../onnx/wire.ts';

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
 * they are replaced by constants.
 */
function extractMemory(model: OnnxModel, layers: number): OnnxModel {
  const index = new GraphIndex(model.graph);
  const [, heads, , width] = dimsOf(model.graph.inputs, PORT.memoryIn(0, 'key'));
  const outputs: ValueInfo[] = [];
  const shapes = new Set<string>();
  for (let layer = 0; layer < layers; layer++) {
    for (const kind of KINDS) {
      const name = PORT.memoryOut(layer, kind);
      const reshape = index.producerOf(index.producerOf(name)?.inputs[0] ?? '');
      if (reshape?.opType !== 'Reshape') throw new OnnxError(`"${name}" is not made as expected.`);
      shapes.add(reshape.inputs[1]!);
      outputs.push({ name, elementType: ELEMENT.float, dims: [1, heads!, 'frames', width!] });
    }
  }
  const constants = [...shapes].map((name) => int64Tensor(name, [4], [1, -1, Number(heads), Number(width)]));
  const nodes = model.graph.nodes.filter((node) => !node.outputs.some((output) => shapes.has(output)));
  const graph = { ...model.graph, nodes, initializers: [...model.graph.initializers, ...constants] };
  const hidden = model.graph.inputs.find((input) => input.name === PORT.hidden)!;
  return extractSubgraph({ ...model, graph }, { inputs: [hidden], outputs });
}

function extractStep(model: OnnxModel, layers: number): OnnxModel {
  const index = new GraphIndex(model.graph);
  const isMemory = (name: string) => name.startsWith('past_key_values.') && name.includes('.encoder.');
  const inputs: ValueInfo[] = [
    ...model.graph.inputs.filter(({ name }) => name === PORT.tokens || isMemory(name)),
    { name: PORT.positions, elementType: ELEMENT.int64, dims: ['positions'] },
  ];
  const outputs: ValueInfo[] = [
    { name: PORT.logits, elementType: ELEMENT.float, dims: [1, 'positions', 'vocabulary'] },
  ];
  const replaced = new Map<OnnxNode, OnnxNode[]>();
  for (let layer = 0; layer < layers; layer++) {
    for (const kind of KINDS) {
      const cache = replaceCache(model.graph, index, { layer, kind });
      inputs.push(cache.input);
      outputs.push(cache.output);
      for (const [node, others] of cache.replaced) replaced.set(node, others);
    }
    const attention = softmaxOf(model.graph, `layers.${layer}/encoder_attn`);
    replaced.set(attention, [attention, copyNode(attention.outputs[0]!, PORT.attention(layer))]);
    outputs.push({ name: PORT.attention(layer), elementType: ELEMENT.float });
    const self = softmaxOf(model.graph, `layers.${layer}/self_attn`);
    // A branch exported for single tokens has no mask; with a mask it accepts several.
    if (index.producerOf(self.inputs[0]!)?.opType !== 'Add') replaced.set(self, maskedSoftmax(self));
  }
  const isMasked = [...replaced.values()].some((nodes) =>
    nodes.some((node) => node.inputs.includes(PORT.mask)),
  );
  if (isMasked) inputs.push({ name: PORT.mask, elementType: ELEMENT.float, dims: ['tokens', 'total'] });
  const graph = {
    ...model.graph,
    nodes: [
      ...model.graph.nodes.flatMap((node) => replaced.get(node) ?? [node]),
      ...logitsAtPositions(index),
    ],
  };
  return extractSubgraph({ ...model, graph }, { inputs, outputs });
}

/**
 * The export outputs the keys of all tokens at every step, which copies megabytes. Here only those of the new tokens
 * are output, with the token axis before the head axis, so that the cache appends them in place.
 */
function replaceCache(
  graph: OnnxGraph,
  index: GraphIndex,
  { layer, kind }: { layer: number; kind: 'key' | 'value' },
): { readonly input: ValueInfo; readonly output: ValueInfo; readonly replaced: Map<OnnxNode, OnnxNode[]> } {
  const past = PORT.past(layer, kind);
  const [, heads, , width] = dimsOf(graph.inputs, past);
  const join = index.producerOf(`present.${layer}.decoder.${kind}`);
  if (join?.opType !== 'Concat' || join.inputs[0] !== past) {
    throw new OnnxError(`"${past}" is not used as expected.`);
  }
  const headsFirst = `${past}.heads_first`;
  const withHeadsFirst = (node: OnnxNode): OnnxNode => ({
    ...node,
    inputs: node.inputs.map((name) => (name === past ? headsFirst : name)),
  });
  const replaced = new Map(
    index.consumersOf(past).map((node, place) => {
      const swap = place === 0 ? [swapNode(past, headsFirst)] : [];
      const output = node === join ? [swapNode(join.inputs[1]!, PORT.newTokens(layer, kind))] : [];
      return [node, [...swap, withHeadsFirst(node), ...output]];
    }),
  );
  const value = (name: string, tokens: string) => ({
    name,
    elementType: ELEMENT.float,
    dims: [1, tokens, heads!, width!],
  });
  return {
    input: value(past, 'past_tokens'),
    output: value(PORT.newTokens(layer, kind), 'tokens'),
    replaced,
  };
}

function swapNode(from: string, to: string): OnnxNode {
  return { ...makeNode('Transpose', [from], [to]), attributes: [intsAttribute('perm', [0, 2, 1, 3])] };
}

function softmaxOf(graph: OnnxGraph, part: string): OnnxNode {
  const node = graph.nodes.find(
    (candidate) => candidate.opType === 'Softmax' && candidate.name.includes(part),
  );
  if (node === undefined) throw new OnnxError(`The decoder has no attention named "${part}".`);
  return node;
}

function maskedSoftmax(softmax: OnnxNode): OnnxNode[] {
  const masked = `${softmax.inputs[0]}.masked`;
  const add = makeNode('Add', [softmax.inputs[0]!, PORT.mask], [masked]);
  return [add, { ...softmax, inputs: [masked] }];
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
    makeNode('Gather', [product.inputs[0]!, PORT.positions], ['states'], 1),
    makeNode('DynamicQuantizeLinear', ['states'], ['states_q', 'states_scale', 'states_zero']),
    makeNode('MatMulInteger', ['states_q', weights!, 'states_zero', weightZero!], ['logits_q']),
    makeNode('Cast', ['logits_q'], ['logits_f']),
    makeNode('Mul', ['states_scale', weightScale!], ['logits_scale']),
    makeNode('Mul', ['logits_f', 'logits_scale'], [PORT.logits]),
  ];
}

function copyNode(from: string, to: string): OnnxNode {
  return makeNode('Identity', [from], [to]);
}

function makeNode(opType: string, inputs: string[], outputs: string[], axis?: number): OnnxNode {
  const attributes = [
    ...(axis === undefined ? [] : [intAttribute('axis', axis)]),
    ...(opType === 'Cast' ? [intAttribute('to', ELEMENT.float)] : []),
  ];
  return { name: `mynah/${outputs[0]}`, opType, domain: '', inputs, outputs, attributes };
}

function dimsOf(inputs: readonly ValueInfo[], name: string): readonly (number | string)[] {
  const dims = inputs.find((input) => input.name === name)?.dims;
  if (dims === undefined) throw new OnnxError(`The decoder has no input named "${name}".`);
  return dims;
}
