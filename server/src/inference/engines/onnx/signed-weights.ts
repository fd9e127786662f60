import { type OnnxModel, type OnnxNode, writeModel } from './model.ts';
import { makeNode } from './node.ts';
import { InferenceSession, Tensor } from './onnxruntime.ts';
import { dependenciesOf, GraphIndex } from './subgraph.ts';
import { ELEMENT, int8Tensor, type OnnxTensor, readBytes } from './tensor.ts';

/** Places of the inputs of an operator. */
const PRODUCT = { weights: 1, zeroPoint: 3 } as const;
const DEQUANTIZE = { zeroPoint: 2 } as const;
/** Operators whose weights are converted. */
const PRODUCTS: ReadonlySet<string> = new Set(['MatMulInteger', 'ConvInteger']);

/**
 * Converts the uint8 weights of integer products to int8: both the weights and their zero point are reduced by 128, so
 * the products are the same. ONNX Runtime has faster kernels for int8 weights on processors with VNNI or AMX. Use it
 * only where `areSignedProductsExact`. Weights of a product may be the transpose of a table that is also read by rows,
 * such as the vocabulary of a decoder; the rows are converted with them.
 */
export function signWeights(model: OnnxModel): OnnxModel {
  const { graph } = model;
  const index = new GraphIndex(graph);
  const unsigned = new Map(
    graph.initializers
      .filter(({ elementType }) => elementType === ELEMENT.uint8)
      .map((tensor) => [tensor.name, tensor]),
  );
  /** New names of inputs, by node and place. */
  const renamed = new Map<OnnxNode, Map<number, string>>();
  const signed = new Map<string, OnnxTensor>();
  const replace = (node: OnnxNode, place: number) => {
    const tensor = unsigned.get(node.inputs[place]!)!;
    if (!signed.has(tensor.name)) signed.set(tensor.name, toSigned(tensor));
    renamed.set(node, (renamed.get(node) ?? new Map()).set(place, signed.get(tensor.name)!.name));
  };
  for (const node of graph.nodes) {
    if (!PRODUCTS.has(node.opType) || !unsigned.has(node.inputs[PRODUCT.zeroPoint] ?? '')) continue;
    const reader = unsigned.has(node.inputs[PRODUCT.weights]!) ? node : transposeFor(node, index);
    if (reader === undefined || !unsigned.has(reader.inputs[reader === node ? PRODUCT.weights : 0]!))
      continue;
    replace(node, PRODUCT.zeroPoint);
    if (reader === node) replace(node, PRODUCT.weights);
    else {
      replace(reader, 0);
      for (const rows of dequantizedRowsOf(reader.inputs[0]!, index)) {
        replace(rows.gather, 0);
        for (const dequantize of rows.dequantize) replace(dequantize, DEQUANTIZE.zeroPoint);
      }
    }
  }
  const nodes = graph.nodes.map((node) => {
    const names = renamed.get(node);
    if (names === undefined) return node;
    return { ...node, inputs: node.inputs.map((name, place) => names.get(place) ?? name) };
  });
  const used = new Set(nodes.flatMap(dependenciesOf));
  const initializers = [...graph.initializers, ...signed.values()].filter(({ name }) => used.has(name));
  return { ...model, graph: { ...graph, nodes, initializers } };
}

/** The transposition that only yields the weights of a product. */
function transposeFor(product: OnnxNode, index: GraphIndex): OnnxNode | undefined {
  const weights = product.inputs[PRODUCT.weights]!;
  const node = index.producerOf(weights);
  const isOnlyFor = index.consumersOf(weights).every((reader) => reader === product);
  return node?.opType === 'Transpose' && isOnlyFor ? node : undefined;
}

/** The nodes that read rows of a table and dequantize them. */
function dequantizedRowsOf(
  table: string,
  index: GraphIndex,
): { readonly gather: OnnxNode; readonly dequantize: readonly OnnxNode[] }[] {
  return index
    .consumersOf(table)
    .filter(({ opType, inputs }) => opType === 'Gather' && inputs[0] === table)
    .map((gather) => ({ gather, dequantize: index.consumersOf(gather.outputs[0]!) }))
    .filter(({ dequantize }) =>
      dequantize.every(
        ({ opType, inputs }) => opType === 'DequantizeLinear' && inputs[DEQUANTIZE.zeroPoint] !== undefined,
      ),
    );
}

function toSigned(tensor: OnnxTensor): OnnxTensor {
  const values = Int8Array.from(readBytes(tensor), (value) => value - 128);
  return int8Tensor(`${tensor.name}.signed`, tensor.dims, values);
}

const PROBE = { rows: 9, depth: 128, columns: 64 } as const;
let isExact: Promise<boolean> | undefined;

/**
 * Whether ONNX Runtime computes products of uint8 and int8 exactly on this machine. Without VNNI or AMX it adds pairs of
 * products in 16 bits, where large ones saturate. Tested once per process with the largest values.
 */
export function areSignedProductsExact(): Promise<boolean> {
  isExact ??= multiplyLargest();
  return isExact;
}

async function multiplyLargest(): Promise<boolean> {
  const { rows, depth, columns } = PROBE;
  const session = await InferenceSession.create(writeModel(probeModel()), { intraOpNumThreads: 1 });
  try {
    for (const count of [1, rows]) {
      const input = new Tensor('uint8', new Uint8Array(count * depth).fill(255), [count, depth]);
      const { product } = await session.run({ input });
      const values = product!.data as Int32Array;
      if (values.length !== count * columns || values.some((value) => value !== 255 * 127 * depth))
        return false;
    }
    return true;
  } finally {
    await session.release();
  }
}

function probeModel(): OnnxModel {
  const { depth, columns } = PROBE;
  return {
    irVersion: 8,
    opsets: [{ domain: '', version: 13 }],
    metadata: new Map(),
    otherFields: [],
    graph: {
      name: 'signed-product',
      nodes: [makeNode('MatMulInteger', ['input', 'weights', '', 'zero'], ['product'])],
      initializers: [
        int8Tensor('weights', [depth, columns], new Int8Array(depth * columns).fill(127)),
        int8Tensor('zero', [], Int8Array.of(0)),
      ],
      inputs: [{ name: 'input', elementType: ELEMENT.uint8, dims: ['rows', depth] }],
      outputs: [{ name: 'product', elementType: ELEMENT.int32, dims: ['rows', columns] }],
    },
  };
}
