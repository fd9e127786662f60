import { type OnnxModel, type OnnxNode, writeModel } from './model.ts';
import { InferenceSession, Tensor } from './onnxruntime.ts';
import { dependenciesOf } from './subgraph.ts';
import { ELEMENT, int8Tensor, type OnnxTensor, readBytes } from './tensor.ts';

/** Place of the weights and of their zero point among the inputs of an operator. */
const WEIGHTS = 1;
const ZERO_POINT = 3;
/** Operators whose weights are converted. */
const PRODUCTS: ReadonlySet<string> = new Set(['MatMulInteger', 'ConvInteger']);

/**
 * Converts the uint8 weights of integer products to int8: both the weights and their zero point are reduced by 128, so
 * the products are the same. ONNX Runtime has faster kernels for int8 weights on processors with VNNI or AMX. Use it
 * only where `areSignedProductsExact`.
 */
export function signWeights(model: OnnxModel): OnnxModel {
  const { graph } = model;
  const tensors = new Map(graph.initializers.map((tensor) => [tensor.name, tensor]));
  const signed = new Map<string, OnnxTensor>();
  const nodes = graph.nodes.map((node): OnnxNode => {
    const weights = tensors.get(node.inputs[WEIGHTS] ?? '');
    const zeroPoint = tensors.get(node.inputs[ZERO_POINT] ?? '');
    const isUnsigned = weights?.elementType === ELEMENT.uint8 && zeroPoint?.elementType === ELEMENT.uint8;
    if (!PRODUCTS.has(node.opType) || !isUnsigned) return node;
    for (const tensor of [weights, zeroPoint]) {
      if (!signed.has(tensor.name)) signed.set(tensor.name, toSigned(tensor));
    }
    const inputs = [...node.inputs];
    inputs[WEIGHTS] = signed.get(weights.name)!.name;
    inputs[ZERO_POINT] = signed.get(zeroPoint.name)!.name;
    return { ...node, inputs };
  });
  const used = new Set(nodes.flatMap(dependenciesOf));
  const initializers = [...graph.initializers, ...signed.values()].filter(({ name }) => used.has(name));
  return { ...model, graph: { ...graph, nodes, initializers } };
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
  const node: OnnxNode = {
    name: 'product',
    opType: 'MatMulInteger',
    domain: '',
    inputs: ['input', 'weights', '', 'zero'],
    outputs: ['product'],
    attributes: [],
  };
  return {
    irVersion: 8,
    opsets: [{ domain: '', version: 13 }],
    metadata: new Map(),
    otherFields: [],
    graph: {
      name: 'signed-product',
      nodes: [node],
      initializers: [
        int8Tensor('weights', [depth, columns], new Int8Array(depth * columns).fill(127)),
        int8Tensor('zero', [], Int8Array.of(0)),
      ],
      inputs: [{ name: 'input', elementType: ELEMENT.uint8, dims: ['rows', depth] }],
      outputs: [{ name: 'product', elementType: ELEMENT.int32, dims: ['rows', columns] }],
    },
  };
}
