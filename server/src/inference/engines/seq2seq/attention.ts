import { intAttribute, intsAttribute } from '../onnx/attribute.ts';
import type { OnnxGraph, OnnxModel, OnnxNode } from '../onnx/model.ts';
import { makeNode } from '../onnx/node.ts';
import type { GraphIndex } from '../onnx/subgraph.ts';
import { floatTensor, type OnnxTensor, readFloats } from '../onnx/tensor.ts';
import { OnnxError } from '../onnx/wire.ts';

/** The domain of ONNX Runtime's own operators. */
const CONTRIB = 'com.microsoft';
/** Operators from the softmax of an attention to its result, at most. */
const RESULT_DISTANCE_MAX = 8;
const ROTATION = { cosines: 'rotation_cosines', sines: 'rotation_sines' } as const;

/** An attention of an exported network: its projections and its result, between which the nodes can be replaced. */
export interface Attention {
  /** Values of tokens x (heads · width). */
  readonly query: string;
  readonly key: string;
  readonly value: string;
  readonly result: string;
  /** The node that makes the result. */
  readonly last: OnnxNode;
}

/** Finds the attention of a part of a network, such as `layers.0/self_attn`. */
export function findAttention(graph: OnnxGraph, index: GraphIndex, part: string): Attention {
  const softmax = graph.nodes.find(({ opType, name }) => opType === 'Softmax' && name.includes(`${part}/`));
  if (softmax === undefined) throw new OnnxError(`The network has no attention named "${part}".`);
  const prefix = softmax.name.slice(0, softmax.name.indexOf(part) + part.length);
  const projection = (name: string) => {
    const outputs = ['Add', 'MatMul'].map((operator) => `${prefix}/${name}/${operator}_output_0`);
    return outputs.find((output) => index.producerOf(output) !== undefined) ?? '';
  };
  const last = resultOf(softmax, index);
  return {
    query: projection('q_proj'),
    key: projection('k_proj'),
    value: projection('v_proj'),
    result: last.outputs[0]!,
    last,
  };
}

/** The last node before the result is quantized for the output projection. */
function resultOf(softmax: OnnxNode, index: GraphIndex): OnnxNode {
  let node: OnnxNode | undefined = softmax;
  for (let distance = 0; distance < RESULT_DISTANCE_MAX && node !== undefined; distance++) {
    const readers = index.consumersOf(node.outputs[0]!);
    if (readers.some(({ opType }) => opType === 'DynamicQuantizeLinear')) return node;
    node = readers[0];
  }
  throw new OnnxError(`The result of "${softmax.name}" is not quantized.`);
}

/** One operator for an attention over all keys, which may have a bias (a mask). */
export function attentionNode(
  { query, key, value, result }: Omit<Attention, 'last'>,
  heads: number,
  bias?: string,
): OnnxNode {
  const inputs = [query, key, value, ...(bias === undefined ? [] : ['', '', bias])];
  return contribNode('MultiHeadAttention', inputs, [result], [intAttribute('num_heads', heads)]);
}

/** Rotary position embedding of queries or keys, whose first token has the given position. */
export function rotationNode(
  from: string,
  to: string,
  { position, heads, rotatedWidth }: { position: string; heads: number; rotatedWidth: number },
): OnnxNode {
  return contribNode(
    'RotaryEmbedding',
    [from, position, ROTATION.cosines, ROTATION.sines],
    [to],
    [
      intAttribute('interleaved', 1),
      intAttribute('num_heads', heads),
      intAttribute('rotary_embedding_dim', rotatedWidth),
    ],
  );
}

/** The tables of rotary position embeddings, or undefined for a network without them. */
export function readRotation(
  graph: OnnxGraph,
  positions: number,
): { readonly tables: readonly OnnxTensor[]; readonly rotatedWidth: number } | undefined {
  const product = graph.nodes.find(({ opType, name }) => opType === 'MatMul' && name.includes('rotary_emb/'));
  const tensor = graph.initializers.find(({ name }) => name === product?.inputs[0]);
  if (tensor === undefined) return undefined;
  const frequencies = readFloats(tensor);
  const table = (name: string, at: (angle: number) => number) =>
    floatTensor(
      name,
      [positions, frequencies.length],
      Float32Array.from({ length: positions * frequencies.length }, (_, index) => {
        const position = Math.floor(index / frequencies.length);
        // The angle is a float32 in the network as well.
        return at(Math.fround(position * frequencies[index % frequencies.length]!));
      }),
    );
  return {
    tables: [table(ROTATION.cosines, Math.cos), table(ROTATION.sines, Math.sin)],
    rotatedWidth: 2 * frequencies.length,
  };
}

/** Declares ONNX Runtime's own operators. */
export function withContribOperators(model: OnnxModel): OnnxModel {
  if (model.opsets.some(({ domain }) => domain === CONTRIB)) return model;
  return { ...model, opsets: [...model.opsets, { domain: CONTRIB, version: 1 }] };
}

export function transposeNode(from: string, to: string, perm: readonly number[]): OnnxNode {
  return makeNode('Transpose', [from], [to], [intsAttribute('perm', perm)]);
}

function contribNode(...node: Parameters<typeof makeNode>): OnnxNode {
  return { ...makeNode(...node), domain: CONTRIB };
}
